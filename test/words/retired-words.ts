/** A word or phrase that this project does not use in prose, and what to write instead. */
interface Retired {
  readonly pattern: RegExp;
  readonly instead: string;
}

const retired: readonly Retired[] = [
  {
    pattern: /(?<!\bthere )\b(?:is|are|was|were|be) none\b/i,
    instead: 'is invalid, is not a valid X, is missing',
  },
  {
    pattern: /(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b|less\b|later\b|earlier\b)\w+/i,
    instead: 'is not a valid X, is invalid',
  },
  { pattern: /\b(?:tells?|told|telling)\b/i, instead: 'reports, describes, specifies, contains' },
  { pattern: /\b(?:says?|said)\b/i, instead: 'specifies, defines, contains, describes' },
  { pattern: /\bbecomes? of\b|\bwhat \w+ makes? of\b/i, instead: 'the outcome of X, what happens to X' },
  {
    pattern: /\b(?:what|all that) (?:\w+ ){1,4}comes? to\b|\bcomes? to (?:nothing|0|zero)\b/i,
    instead: 'the total of X, X is 0',
  },
  { pattern: /\bother than then\b|\botherwise than\b/i, instead: 'changed since, unlike' },
  { pattern: /\banew\b/i, instead: 'again' },
  { pattern: /\bin earnest\b|\bby turns\b/i, instead: 'nothing; alternately, one after another' },
  {
    pattern: /(?<!\b(?:one|each|some|all|any|most|regardless) )\bof which\b|\bof whom\b|\bof that,/i,
    instead: 'a noun',
  },
  { pattern: /(?:^|[.:;] )(?:Whose|Of (?:what|those|which)) /i, instead: 'the noun first' },
  {
    pattern: /\b(?:has|have|having) a say\b|\bgo(?:es)? by (?:the|its|their|what)\b/i,
    instead: 'can veto, can change, uses',
  },
  {
    pattern: /\b(?:gives?|gave|giving|given|takes?|took|taking|taken) back\b/i,
    instead: 'refunds, credits, reverses, undoes, returns',
  },
  { pattern: /\bunless told\b/i, instead: 'by default' },
  { pattern: /\b(?:is|are|was|were) not there\b/i, instead: 'is missing, does not exist' },
  {
    pattern: /\basked (?:for|of|whether|about)\b|\bis asked\b/i,
    instead: 'requested; calls, reads, queries',
  },
  { pattern: /\b(?:un|non-)?[Cc]ancell(?:ed|ing)\b/, instead: 'canceled, canceling' },
  { pattern: /\b(?:after|back|to|up|down)wards\b/i, instead: 'afterward, backward, toward' },
  {
    pattern:
      /\b(?:behaviour|catalogue|colour|favour|honour)|\b(?:label|model|signal|total)l(?:ed|ing)\b|\bwhilst\b/i,
    instead: 'the American spelling',
  },
];

/** At the end of a line, allows its words. */
const ALLOWED = 'words: ok';

/** Returns `path:line "found": write …` for each retired word in a page or TypeScript file. */
export function findRetiredWords(path: string, text: string): readonly string[] {
  const prose = path.endsWith('.md') ? proseOfPage(text) : proseOfCode(text);
  return prose.flatMap(([line, words]) =>
    retired.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(words)?.[0];
      return found === undefined ? [] : [`${path}:${line} "${found.trim()}": write ${instead}`];
    }),
  );
}

type Line = readonly [line: number, words: string];

/** Returns the lines of a page outside code blocks, without code spans. */
function proseOfPage(text: string): readonly Line[] {
  let isCode = false;
  return numbered(text).flatMap(([line, words]): readonly Line[] => {
    const isFence = words.startsWith('```');
    if (isFence) isCode = !isCode;
    return isCode || isFence ? [] : [[line, words.replace(/`[^`]*`/g, '``')]];
  });
}

/** A function named by a participle alone, such as `refused` or `goingOf`. */
const PARTICIPLE =
  /(?:\bfunction\*? |^\s*(?:async )?(?=#))(#?(?:[a-z]+[^e]ed|built|chosen|drawn|found|given|going|held|kept|left|lost|made|sent|shown|taken|told|written)(?:Of|By|In)?)[<(]/;

/** Names that the published library has had from the start. */
const PUBLIC_PARTICIPLES: ReadonlySet<string> = new Set(['prefixed', 'unencrypted']);

/** Returns `path:line "found": …` for each function in a TypeScript file that is named by a participle alone. */
export function findParticipleNames(path: string, text: string): readonly string[] {
  return numbered(text).flatMap(([line, words]) => {
    const name = PARTICIPLE.exec(words)?.[1];
    if (name === undefined || PUBLIC_PARTICIPLES.has(name)) return [];
    return [`${path}:${line} "${name}": write a verb, such as checkUnits for checked`];
  });
}

/** Returns the comments in a file and its literals of several words. */
function proseOfCode(text: string): readonly Line[] {
  return numbered(text).flatMap(([line, words]): readonly Line[] => {
    const comment = /^\s*(?:\/\*\*?|\*|\/\/)(.*)|\s\/\/ (.*)/.exec(words);
    if (comment !== null) return [[line, (comment[1] ?? comment[2] ?? '').replace(/`[^`]*`/g, '``')]];
    const literals = words.match(/'(?:[^'\\]|\\.)* (?:[^'\\]|\\.)*'|`[^`]* [^`]*`?|"[^"]* [^"]*"/g) ?? [];
    return literals.map((literal) => [line, literal.replace(/\$\{[^}]*\}/g, '')]);
  });
}

function numbered(text: string): readonly Line[] {
  const lines = text.split('\n').map((words, index): Line => [index + 1, words]);
  return lines.filter(([, words]) => !words.includes(ALLOWED));
}
