/** One message of gRPC, uncompressed: its five bytes of prefix and 127 that stand for a serialised answer or question. */
export const GRPC_MESSAGE: Buffer = Buffer.concat([Buffer.from([0, 0, 0, 0, 127]), Buffer.alloc(127, 'm')])

/** The fields that make a request a call. */
export const CALL_FIELDS: Readonly<Record<string, string>> = { 'content-type': 'application/grpc', te: 'trailers' }
