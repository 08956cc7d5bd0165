/** The time zone of the browser. Some systems report a zone that date functions reject, such as `Etc/Unknown`. */
export const browserZone = orElse('UTC', () => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
});

/**
 * Replaces a browser language that number formats do not accept, such as `en-US@posix`. Otherwise the charts, which
 * create a number format when they are loaded, would not load.
 */
export function replaceInvalidLanguage(): void {
  const { language } = navigator;
  const value = orElse('en', () => new Intl.NumberFormat(language) && language);
  if (value !== language) Object.defineProperty(navigator, 'language', { value });
}

/** Returns the result of `read`, or `preset` if the browser rejects a value. */
function orElse(preset: string, read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return preset;
    throw error;
  }
}
