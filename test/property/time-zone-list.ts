import { isLongRun } from '../support/long-run.ts';

/** Zones with every kind of rule: no DST, odd offsets, missing midnights, missing dates, negative and half-hour DST. */
export const zones = [
  'Africa/Abidjan',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Africa/El_Aaiun',
  'Africa/Johannesburg',
  'Africa/Monrovia',
  'America/Anchorage',
  'America/Argentina/Buenos_Aires',
  'America/Asuncion',
  'America/Bogota',
  'America/Caracas',
  'America/Chicago',
  'America/Denver',
  'America/Halifax',
  'America/Havana',
  'America/Los_Angeles',
  'America/Mexico_City',
  'America/New_York',
  'America/Nuuk',
  'America/Phoenix',
  'America/Santiago',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Antarctica/Troll',
  'Asia/Amman',
  'Asia/Beirut',
  'Asia/Gaza',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Pyongyang',
  'Asia/Tehran',
  'Asia/Tokyo',
  'Atlantic/Azores',
  'Australia/Adelaide',
  'Australia/Eucla',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Europe/Dublin',
  'Europe/Istanbul',
  'Europe/London',
  'Europe/Moscow',
  'Europe/Paris',
  'Pacific/Apia',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Pacific/Kwajalein',
  'UTC',
] as const;

/** Values of the host's TZ variable, which must not affect any result. */
export const allHostZones = [
  'UTC',
  'America/New_York',
  'America/Santiago',
  'Europe/London',
  'Africa/Casablanca',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
] as const;

/** The zones of this run: all of them in the long run. */
export const hostZones: readonly string[] = isLongRun
  ? allHostZones
  : ['America/New_York', 'Australia/Lord_Howe'];
