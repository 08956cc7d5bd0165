import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import type { PrintableImage } from '../../lib/ports/index.ts';
import type { OpenedImage, Sheet } from './sheet.ts';

const inflated = promisify(inflate);

/** Maximum number of pixels of a PNG image. pdfkit decompresses the image without a pause. */
const MAX_PIXELS = 4_000_000;

const SIGNATURE = '89504e470d0a1a0a';

/**
 * The logo of a document, or the reason why it cannot be drawn. Both are null if PDFs of this document have no logo.
 */
export interface Logo {
  readonly opened: OpenedImage | null;
  readonly problem: string | null;
}

export async function openedLogo(sheet: Sheet, image: PrintableImage | null): Promise<Logo> {
  if (image === null || image.mediaType === 'image/svg+xml') return { opened: null, problem: null };
  const problem = image.mediaType === 'image/png' ? await problemOfPng(image) : null;
  if (problem !== null) return { opened: null, problem };
  try {
    return { opened: sheet.openImage(image), problem: null };
  } catch (error) {
    return { opened: null, problem: `the image cannot be read: ${messageOf(error)}` };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface PngHead {
  readonly width: number;
  readonly height: number;
  readonly bitsOfPixel: number;
  readonly isInterlaced: boolean;
}

/** Number of channels by PNG color type. */
const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/**
 * Returns the reason why pdfkit could not decompress a PNG image, or null. pdfkit decompresses images in a callback,
 * where an error would end the process.
 */
async function problemOfPng({ bytes }: PrintableImage): Promise<string | null> {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = headOf(png);
  if (head === null) return 'the PNG has no valid header';
  const { width, height } = head;
  if (width * height > MAX_PIXELS)
    return `the PNG has ${width} × ${height} pixels; at most ${MAX_PIXELS} are drawn`;
  const rows = rowsOf(head);
  const length = rows.reduce((sum, { bytes, count }) => sum + bytes * count, 0);
  try {
    const data = await inflated(compressedPixels(png), { maxOutputLength: length + 1 });
    if (data.length !== length) return 'the PNG has too few or too many pixels';
    return hasKnownFilters(data, rows) ? null : 'the PNG uses an unknown filter';
  } catch (error) {
    return `the PNG cannot be decompressed: ${messageOf(error)}`;
  }
}

function headOf(png: Buffer): PngHead | null {
  if (png.length < 33 || png.toString('hex', 0, 8) !== SIGNATURE) return null;
  if (png.toString('latin1', 12, 16) !== 'IHDR') return null;
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const ofPixel = channels[png.readUInt8(25)];
  if (ofPixel === undefined || width === 0 || height === 0) return null;
  return { width, height, bitsOfPixel: ofPixel * png.readUInt8(24), isInterlaced: png.readUInt8(28) === 1 };
}

interface Rows {
  /** Includes the byte for the row's filter. */
  readonly bytes: number;
  readonly count: number;
}

/** Offset and spacing of the pixels in each pass of an interlaced PNG image. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

function rowsOf({ width, height, bitsOfPixel, isInterlaced }: PngHead): readonly Rows[] {
  const parts = isInterlaced ? passes : ([[0, 0, 1, 1]] as const);
  return parts.flatMap(([left, top, across, down]) => {
    const columns = Math.ceil((width - left) / across);
    const count = Math.ceil((height - top) / down);
    return columns > 0 && count > 0 ? [{ bytes: 1 + Math.ceil((columns * bitsOfPixel) / 8), count }] : [];
  });
}

function compressedPixels(png: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at + 8 <= png.length; ) {
    const size = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + size));
    at += 12 + size;
  }
  return Buffer.concat(parts);
}

function hasKnownFilters(data: Buffer, rows: readonly Rows[]): boolean {
  let at = 0;
  for (const { bytes, count } of rows) {
    for (let row = 0; row < count; row += 1) {
      if ((data[at] ?? 0) > 4) return false;
      at += bytes;
    }
  }
  return true;
}
