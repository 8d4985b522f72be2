// Where the page begins: identify the visitor, follow the log, show the screen of the address.

import { render } from 'preact';
import { ErrorBoundary } from './parts/boundary.tsx';
import { start } from './live.ts';
import { path } from './router.ts';
import { Allocations } from './screens/allocations.tsx';
import { BootScreen } from './screens/boot.tsx';
import { BatchScreen, Batches } from './screens/batches.tsx';
import { Conductors } from './screens/conductors.tsx';
import { Enrol } from './screens/enrol.tsx';
import { Events } from './screens/events.tsx';
import { FleetScreen } from './screens/fleet.tsx';
import { MeScreen } from './screens/me.tsx';
import { NodeScreen } from './screens/node.tsx';
import { Nodes } from './screens/nodes.tsx';
import { InspectionRules, Runbooks, Templates } from './screens/recipes.tsx';
import { Images } from './screens/images.tsx';
import { Missing } from './screens/missing.tsx';
import { SettingsScreen } from './screens/settings.tsx';
import { ShadowScreen } from './screens/shadow.tsx';
import { Webhooks } from './screens/webhooks.tsx';
import { identify } from './session.ts';
import { Shell } from './shell.tsx';

function Screen() {
  const [first, second] = path.value;
  switch (first) {
    case undefined:
      return <FleetScreen />;
    case 'nodes':
      return second === undefined ? <Nodes /> : <NodeScreen key={second} ident={second} />;
    case 'batches':
      return second === undefined ? <Batches /> : <BatchScreen key={second} uuid={second} />;
    case 'events':
      return <Events />;
    case 'conductors':
      return <Conductors />;
    case 'allocations':
      return <Allocations />;
    case 'enrol':
      return <Enrol />;
    case 'templates':
      return <Templates />;
    case 'runbooks':
      return <Runbooks />;
    case 'rules':
      return <InspectionRules />;
    case 'images':
      return <Images />;
    case 'boot':
      return <BootScreen />;
    case 'settings':
      return <SettingsScreen />;
    case 'shadow':
      return <ShadowScreen />;
    case 'webhooks':
      return <Webhooks />;
    case 'me':
      return <MeScreen />;
    default:
      return <Missing />;
  }
}

function App() {
  return (
    <Shell>
      <ErrorBoundary key={path.value.join('/')}>
        <Screen />
      </ErrorBoundary>
    </Shell>
  );
}

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
void identify();
start();
