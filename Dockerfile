# The Billwright server. `docker build -t billwright .` makes the image; examples/compose.yaml runs it beside PostgreSQL.
FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm pack --silent --pack-destination /source
WORKDIR /app
RUN npm init --yes > /dev/null
RUN npm install --no-audit --no-fund --omit=dev /source/billwright-*.tgz $(node /source/examples/server-packages.mjs)

FROM node:24-bookworm-slim
ENV NODE_ENV=production
COPY --from=build /app /app
RUN mkdir -p /data && chown node:node /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080
# Whatever it answers, it is alive: with a prefix (`server.basePath`) it does so elsewhere.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/1.0/healthcheck/live').then(() => process.exit(0), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/node_modules/billwright/dist/adapters/cli/billwright.js"]
# The database is /data/billwright.db, or what BILLWRIGHT_DATABASE says: an option here would win over it.
# On PostgreSQL, SERVICE_server_workers=auto uses all cores of the container.
CMD ["serve", "--host", "0.0.0.0"]
