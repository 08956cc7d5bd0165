// These modules load data from the server and send data to the server.
export * from './api.ts';
export * from './load.ts';
export * from './server.ts';
export * from './session.ts';
