/**
 * The parts of Node's HTTP module that are used, taken in the one way that costs nothing. An `import` of it reads every
 * name that it exports, which loads its WebSocket and with it a whole HTTP client (37 ms of processor time at each start,
 * Node 24).
 */
export const { createServer, METHODS, request, STATUS_CODES } = process.getBuiltinModule('node:http');
