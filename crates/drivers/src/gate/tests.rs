//! Turns, pauses, deadlines and rests, on a clock that does not have to be waited for.

use super::*;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn gate() -> Arc<Gate> {
    Arc::new(Gate::new(GateSettings {
        interval: 2 * SECOND,
        deadline: 60 * SECOND,
        silences: 3,
        rest: 10 * SECOND,
        longest_rest: 15 * SECOND,
    }))
}

#[tokio::test(start_paused = true)]
async fn conversations_come_one_by_one_with_a_pause() {
    let gate = gate();
    let began = Instant::now();
    let first = gate.enter().await.unwrap();
    assert_eq!(began.elapsed(), Duration::ZERO, "nobody waits without need");
    let second = tokio::spawn({
        let gate = Arc::clone(&gate);
        async move {
            let permit = gate.enter().await.unwrap();
            (began.elapsed(), permit)
        }
    });
    tokio::time::sleep(5 * SECOND).await;
    assert!(!second.is_finished());
    drop(first);
    let (at, _permit) = second.await.unwrap();
    assert_eq!(at, 7 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn who_waits_too_long_is_told_so() {
    let gate = gate();
    let _first = gate.enter().await.unwrap();
    let refused = gate.enter().await.unwrap_err();
    assert_eq!(refused, GateError::Busy { after: 60 * SECOND });
}

#[tokio::test(start_paused = true)]
async fn an_operation_has_a_deadline() {
    let permit = gate().enter().await.unwrap();
    assert_eq!(permit.within(async { 1 }).await, Ok(1));
    let late = permit.within(std::future::pending::<()>()).await;
    assert_eq!(late, Err(GateError::Deadline { after: 60 * SECOND }));
}

#[tokio::test(start_paused = true)]
async fn one_wait_in_vain_for_all_of_the_time_is_enough() {
    let gate = gate();
    let resting = GateError::Resting {
        silences: 1,
        next: 10 * SECOND,
    };
    assert_eq!(gate.enter().await.unwrap().given_up(), Err(resting));
    assert!(gate.enter().await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_silent_bmc_is_left_alone_for_a_while() {
    let gate = gate();
    let permit = gate.enter().await.unwrap();
    assert_eq!(permit.silent(), Ok(()));
    assert_eq!(permit.silent(), Ok(()));
    let resting = GateError::Resting {
        silences: 3,
        next: 10 * SECOND,
    };
    assert_eq!(permit.silent(), Err(resting));
    drop(permit);
    tokio::time::sleep(4 * SECOND).await;
    let refused = gate.enter().await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "it was silent 3 times in a row and is left alone; the next try is in 6 s"
    );
    tokio::time::sleep(6 * SECOND).await;
    // One tries again, and the next rest is longer, up to the longest.
    for next in [15, 15] {
        let permit = gate.enter().await.unwrap();
        let GateError::Resting { next: found, .. } = permit.silent().unwrap_err() else {
            panic!("not resting");
        };
        assert_eq!(found, next * SECOND);
        drop(permit);
        tokio::time::sleep(next * SECOND).await;
    }
    let permit = gate.enter().await.unwrap();
    permit.heard();
    assert_eq!(permit.silent(), Ok(()), "it counts from the beginning");
}

#[tokio::test(start_paused = true)]
async fn who_waited_for_a_silent_bmc_fails_with_it() {
    let gate = gate();
    let permit = gate.enter().await.unwrap();
    let waiting = tokio::spawn({
        let gate = Arc::clone(&gate);
        async move { gate.enter().await.map(drop) }
    });
    tokio::task::yield_now().await;
    for _ in 0..3 {
        let _ = permit.silent();
    }
    drop(permit);
    assert!(matches!(
        waiting.await.unwrap(),
        Err(GateError::Resting { silences: 3, .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn gates_that_nobody_needs_are_forgotten() {
    let gates = Gates::new(GateSettings::default());
    let kept = gates.of("kept");
    let silent = gates.of("silent");
    silent.enter().await.unwrap().silent().unwrap();
    drop(silent);
    for number in 0..=MANY {
        gates.of(&number.to_string());
    }
    assert!(locked(&gates.gates).len() < MANY);
    assert!(Arc::ptr_eq(&kept, &gates.of("kept")));
    assert_eq!(locked(&gates.of("silent").breaker).silences, 1);
}
