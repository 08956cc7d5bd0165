/**
 * Node's HTTP module, loaded without `import`, which would also load Node's WebSocket and HTTP client (37 ms per
 * start, Node 24).
 */
export const { createServer, METHODS, request, STATUS_CODES } = process.getBuiltinModule('node:http');
