// What the console loads from the server and sends to it.
export * from './api.ts';
export * from './load.ts';
export * from './server.ts';
export * from './session.ts';
