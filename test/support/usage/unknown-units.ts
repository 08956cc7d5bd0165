/** For tests that record units which their catalog does not define (usage §2.1 check 6). */
export const ACCEPTS_UNKNOWN_UNITS = { 'org.service.usage.unknownUnitPolicy': 'ACCEPT' };
