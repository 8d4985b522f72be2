// Keeps a defect of one screen from taking the page down.

import { Component, type ComponentChildren } from 'preact';
import { Button } from './base.tsx';

export class ErrorBoundary extends Component<{ children: ComponentChildren }, { error: Error | null }> {
  override state = { error: null };

  static override getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const error: Error | null = this.state.error;
    if (error === null) return this.props.children;
    return (
      <div class="failed" role="alert">
        <p class="failed-words">This screen has a defect: {(error as Error).message}</p>
        <Button small onClick={() => this.setState({ error: null })}>
          Show it again
        </Button>
      </div>
    );
  }
}
