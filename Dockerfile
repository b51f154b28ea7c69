# syntax=docker/dockerfile:1
# Two stages: one compiles src to dist, the other holds dist, the run-time packages and Node, and nothing else: no shell,
# no package manager, no compiler. Build for another Node with --build-arg NODE_MAJOR=24, for a mirror or a digest with
# --build-arg BUILD_IMAGE=... --build-arg RUNTIME_IMAGE=...
ARG NODE_MAJOR=26
ARG BUILD_IMAGE=node:${NODE_MAJOR}-trixie-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs${NODE_MAJOR}-debian13:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci
COPY src ./src
RUN npm run build
# The image brings its own Node; the pinned one under node_modules serves development and tests.
RUN npm prune --omit=dev --omit=optional

FROM ${RUNTIME_IMAGE}
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY LICENSE ./
COPY examples/full-config.yaml ./examples/

# By number, so that runAsNonRoot can be checked without a passwd file.
USER 65532:65532

# Traffic, then probes, metrics and the admin API. Both are above 1023 on purpose: the kernel raises NET_BIND_SERVICE for a
# process that is not root only if the binary's file carries it, and this image's node does not (R50-25). To be reached on
# ports 80 and 443, map those of a Service to 8080 and 8443.
EXPOSE 8080 8443 10254

# SIGTERM drains. There is no shell to swallow it, and the program runs as process 1.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/nodejs/bin/node", "--disable-proto=throw", "--disable-sigusr1", "--report-on-fatalerror", "/app/dist/main.js"]
