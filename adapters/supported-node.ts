/**
 * Refuses versions of Node that Billwright does not support, with a clear message. Import this module before a module
 * that would fail earlier on such a version, such as a native module that ends the process when it is loaded.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [leastMajor, leastMinor] = [22, 18];

if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
  throw new Error(
    `Billwright needs Node ${leastMajor}.${leastMinor} or newer; this is ${process.version}. Install a newer version from https://nodejs.org or with your version manager`,
  );
}
