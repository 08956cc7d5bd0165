/** Node implementations of the engine's ports, such as those for time, ids and hashing. */

export { logFiles } from './log-files.ts';
export { isFormerNode, newNodeName } from './node-name.ts';
export { productVersion } from './product-version.ts';
export { httpPushSender, nameResolver } from './push-sender.ts';
export { type ScryptHasherOptions, scryptHasher } from './scrypt-hasher.ts';
export { ensureKeyFile, type KeyFile, readKeyFile, secretCipher, unencrypted } from './secret-cipher.ts';
export {
  type ClockMove,
  type SharedTestClock,
  sharedTestClock,
  type TestClockSetting,
  type TestClockStore,
} from './shared-test-clock.ts';
export { processGauges, sha256, systemClock, uuidGenerator, workScopes } from './this-process.ts';
