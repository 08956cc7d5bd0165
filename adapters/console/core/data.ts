// The data that the console loads from the server and sends to the server.
export * from './api.ts';
export * from './load.ts';
export * from './server.ts';
export * from './session.ts';
