# Build: with the development dependencies, which the result is then freed of.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY .ci .ci
RUN node .ci/ensure-installed.mjs
COPY migrations migrations
COPY src src
COPY tsconfig.json tsconfig.build.json ./
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
ENV NODE_ENV=production
COPY --from=build --chown=root:root /build/package.json /opt/paybatch/package.json
COPY --from=build --chown=root:root /build/node_modules /opt/paybatch/node_modules
COPY --from=build --chown=root:root /build/dist /opt/paybatch/dist

# Input files, results and the embedded ledger are looked for in the working folder. The program's own files
# belong to root and cannot be changed from inside.
RUN mkdir -p /data/results /data/.paybatch && chown -R node:node /data
WORKDIR /data
USER node
VOLUME ["/data/results", "/data/.paybatch"]
ENTRYPOINT ["node", "/opt/paybatch/dist/src/cli/main.js"]
CMD ["--help"]
