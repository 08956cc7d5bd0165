/** Shown in place of a secret. */
export const SECRET_MASK = '*****';

const secretName =
  /pass(?:word|wd|phrase)|pwd|secret|token|key|credential|authorization|signature|nonce|cvv|cvc|\bpin\b/i;

/** Parameters whose values are meant for a payment gateway alone, whatever they are called inside. */
const opaqueName = /^pluginProperty$/i;

/**
 * Texts that are secrets wherever they stand: private keys, JSON Web Tokens, tokens after `Bearer`, keys of processors
 * and repositories, client secrets.
 */
const secretShapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<![\w-])eyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g,
  /(?<=\bBearer\s)[\w+/=.~-]{8,}/g,
  /\b(?:(?:sk|rk)_(?:live|test)|whsec|tok|gh[a-z]|xox[a-z])[_-][\w+/=-]+/g,
  /\b[a-z]+_\w+_secret_\w+/g,
];
/** Up to the last `@`; a password may hold `/`, but a port is no password. */
const userInfo =
  /(?<=\b[a-z][a-z\d+.-]*:\/\/)(?:[^\s/?#"'<>]+|[^\s/?#@:"'<>]+:(?!\d+[/?#])[^\s"'<>]{1,256})(?=@)/gi;
const pair = /([?&;])([\w.~%-]+)=([^\s&;#"'<>]+)/g;
/** As log lines, JSON and headers write them. Names that merely contain `key`, such as `externalKey`, are no secrets there. */
const named =
  /((?:pass(?:word|wd|phrase)|secret|token|(?:api|access|private|server|signing)[_.-]?key|credential|authorization|signature|nonce|cvv|cvc)[\w.~-]{0,40}\\?["']?[ \t]{0,2}[=:][ \t]{0,2})("[^"\\]+|\\"[^"\\]+|'[^'\\]+|(?:(?:Bearer|Basic|Digest)[ +])?[^\s"'&,;}<>\\)\]]+)/gi;
const pluginProperty = /(?<=\bpluginProperty=[^\s&"'=%]{0,255}(?:=|%3D))[^\s&"'<>]+/gi;
const word = /[a-z][a-z\d+.-]*:\/\/[^\s"'<>]+|(?<![^\s"'<>,=])[^\s"'<>,=]{8,}={0,2}/gi;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const absoluteUrl = /^[a-z][a-z\d+.-]*:\/\/\S+$/i;
const cardNumber = /(?<![\w.-])[2-6](?:[ -]?\d){13,18}(?![\w.-])/g;

/** Letters and digits of a length that nobody remembers. A UUID, which names things, has no such run. */
const opaqueToken = /^[\w~+-]{20,}={0,2}$/;
const longRun = /[a-z\d]{20,}/gi;

/** Whether values of that name are secrets, such as `password`, `x.apiKey` or `Authorization`. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Where the first name of a secret in the text ends; null if there is none. */
export function secretNameEnd(text: string): number | null {
  const found = secretName.exec(text);
  return found === null ? null : found.index + found[0].length;
}

/**
 * Returns a text, such as a log line, without its secrets: those that their shape gives away, passwords in URLs, values after
 * the name of a secret, plugin properties and card numbers. Masking twice changes nothing.
 */
export function maskSecretShapes(text: string): string {
  const masked = secretShapes.reduce((shown, shape) => shown.replace(shape, SECRET_MASK), text);
  return masked
    .replace(userInfo, maskUserInfo)
    .replace(pluginProperty, SECRET_MASK)
    .replace(pair, maskPair)
    .replace(named, maskNamed)
    .replace(cardNumber, (digits) => (isCardNumber(digits) ? SECRET_MASK : digits));
}

/**
 * Returns the value of a parameter or property as it may be shown: masked whole if its name or its shape is that of a
 * secret. Of a URL, which may carry a token anywhere, all values of the query are masked, and long random parts of the path.
 */
export function maskNamedValue(name: string, value: string): string {
  if (value === '') return value;
  if (secretName.test(name)) return SECRET_MASK;
  if (opaqueName.test(name)) return value.replace(/(?<==)[\s\S]+/, SECRET_MASK);
  return maskWord(maskSecretShapes(value));
}

/** Returns the text with its long random words masked, and its URLs as `maskUrl` does. */
export function maskWords(text: string): string {
  return text.replace(word, maskWord);
}

function maskWord(text: string): string {
  if (isOpaque(text)) return SECRET_MASK;
  return absoluteUrl.test(text) ? maskUrl(text) : text;
}

/** Returns a query without `?`, with the values of secret parameters masked. Parameters stay as they were written. */
export function maskQuery(query: string): string {
  if (query === '') return query;
  return query.split('&').map(maskParameter).join('&');
}

function maskParameter(part: string): string {
  const at = part.indexOf('=');
  if (at < 0) return part;
  const value = decoded(part.slice(at + 1));
  const shown = maskNamedValue(decoded(part.slice(0, at)), value);
  return shown === value
    ? part
    : part.slice(0, at + 1) + (shown === SECRET_MASK ? shown : encodeURIComponent(shown));
}

/** Returns a URL with its user info, all values of its query, its fragment and random parts of its path masked. */
export function maskUrl(url: string): string {
  const [, before = '', query, fragment] = /^([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/.exec(url) ?? [];
  const path = before.split('/').map((part) => (isOpaque(part) ? SECRET_MASK : part));
  return (
    maskSecretShapes(path.join('/')) +
    (query ?? '').replace(/(?<==)[^&]+/g, SECRET_MASK) +
    (fragment === undefined ? '' : `#${SECRET_MASK}`)
  );
}

function maskPair(whole: string, before: string, name: string): string {
  return secretName.test(name) ? `${before}${name}=${SECRET_MASK}` : whole;
}

/** A UUID under such a name, as of the `userToken` of a request, is no secret. */
function maskNamed(whole: string, before: string, value: string): string {
  const [, quote = '', text = ''] = /^(\\?["']?)([\s\S]*)$/.exec(value) ?? [];
  return uuid.test(text) ? whole : before + quote + SECRET_MASK;
}

function maskUserInfo(userAndPassword: string): string {
  const at = userAndPassword.indexOf(':');
  return at < 0 ? SECRET_MASK : userAndPassword.slice(0, at + 1) + SECRET_MASK;
}

function isOpaque(text: string): boolean {
  if (!opaqueToken.test(text)) return false;
  return (text.match(longRun) ?? []).some((run) => /\d/.test(run) && /[a-z]/i.test(run));
}

/** The check digit of card numbers (ISO/IEC 7812). */
function isCardNumber(text: string): boolean {
  const digits = [...text.replace(/\D/g, '')].reverse().map(Number);
  const doubled = digits.map((digit, index) => (index % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)));
  return doubled.reduce((sum, digit) => sum + digit, 0) % 10 === 0;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
