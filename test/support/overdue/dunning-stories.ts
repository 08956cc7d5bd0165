import { changedConfig } from './changed-config-story.ts';
import type { DunningStory } from './dunning-story.ts';
import { failedCard, heldBack } from './failed-card-stories.ts';
import { parentPays } from './parent-story.ts';

export const dunningStories: readonly DunningStory[] = [failedCard, heldBack, parentPays, changedConfig];
