/** An answer that the port of a plugin does not allow. The message completes a sentence that begins with the plugin's name. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}
