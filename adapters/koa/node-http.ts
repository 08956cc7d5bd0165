/** Avoids `import`, which loads Node's WebSocket and HTTP client with every exported name (37 ms per start, Node 24). */
export const { createServer, METHODS, request, STATUS_CODES } = process.getBuiltinModule('node:http');
