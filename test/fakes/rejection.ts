/** What `promise` rejects with; rejects itself where it does not. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('the promise did not reject with an error')
}
