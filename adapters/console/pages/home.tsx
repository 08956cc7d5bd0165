import type { JSX } from 'preact';
import { Page } from '../parts/layout.tsx';
import { texts } from '../texts.ts';

export function Home(): JSX.Element {
  return <Page title={texts.shell.home}>{null}</Page>;
}
