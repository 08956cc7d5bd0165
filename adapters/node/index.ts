/** What the Node runtime gives the engine: time, identity, hashing. */
export { ensureKeyFile, type KeyFile, readKeyFile } from './key-file.ts';
export { logFiles } from './log-files.ts';
export { nameResolver } from './name-resolver.ts';
export { isFormerNode, newNodeName } from './node-name.ts';
export { processGauges } from './process-gauges.ts';
export { productVersion } from './product-version.ts';
export { httpPushSender } from './push-sender.ts';
export { type ScryptHasherOptions, scryptHasher } from './scrypt-hasher.ts';
export { secretCipher, unencrypted } from './secret-cipher.ts';
export { sha256 } from './sha256.ts';
export {
  type ClockMove,
  type SharedTestClock,
  sharedTestClock,
  type TestClockSetting,
  type TestClockStore,
} from './shared-test-clock.ts';
export { systemClock } from './system-clock.ts';
export { uuidGenerator } from './uuid-generator.ts';
export { workScopes } from './work-scopes.ts';
