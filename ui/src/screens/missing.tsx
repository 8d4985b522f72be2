// An address that leads nowhere.

import { Empty } from '../parts/base.tsx';
import { href } from '../router.ts';

export function Missing() {
  return (
    <Empty title="There is no such screen">
      <p>
        <a href={href([])}>Go to the fleet</a>, or press <kbd>Ctrl K</kbd> to find something.
      </p>
    </Empty>
  );
}
