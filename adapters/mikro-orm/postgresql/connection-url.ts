/** The kinds of sessions that the engine can use, by their libpq names in `target_session_attrs`. */
const sessions = ['read-write', 'primary', 'any'] as const;

export type RequiredSession = (typeof sessions)[number];

/** A connection URL with one or several hosts, as in libpq. */
export interface ConnectionUrl {
  /** One URL per host, in the order in which the hosts are tried. */
  readonly ofHosts: readonly [URL, ...URL[]];
  /** The required kind of session, or null if the engine cannot use the `target_session_attrs` in the URL. */
  readonly requires: RequiredSession | null;
}

/** Error text for a URL that requires an unsupported kind of session. */
export const sessionFault = 'has an invalid target_session_attrs. Use read-write, primary or any';

export function isPostgresqlUrl(database: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(database);
}

/**
 * Parses a URL such as `postgresql://user@one:5432,two:5432/billing?target_session_attrs=read-write`. The query may
 * list the hosts instead (`?host=one,two&port=5432`). Returns null for a malformed URL.
 */
export function parseConnectionUrl(text: string): ConnectionUrl | null {
  const [, start = '', authority = '', rest = ''] =
    /^([^/]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? [];
  const [first, ...others] = authority.split(',').map((host) => URL.parse(`${start}${host}${rest}`));
  if (!first || others.includes(null)) return null;
  const listed = first.searchParams.get('host')?.split(',') ?? [];
  const [one, ...more] = listed.length > 1 ? hostsOfQuery(first, listed) : [first, ...(others as URL[])];
  return one === undefined ? null : { ofHosts: [one, ...more], requires: sessionOf(first) };
}

/**
 * Returns the URLs of the hosts that the query lists. The query contains either one port for all hosts or one port per
 * host.
 */
function hostsOfQuery(url: URL, hosts: readonly string[]): readonly URL[] {
  const ports = url.searchParams.get('port')?.split(',') ?? [''];
  if (ports.length !== 1 && ports.length !== hosts.length) return [];
  return hosts.map((host, index) => {
    const ofHost = new URL(url);
    ofHost.searchParams.set('host', host);
    ofHost.searchParams.set('port', ports[index] ?? ports[0] ?? '');
    return ofHost;
  });
}

function sessionOf({ searchParams }: URL): RequiredSession | null {
  const given = searchParams.get('target_session_attrs') ?? 'any';
  return sessions.find((each) => each === given) ?? null;
}
