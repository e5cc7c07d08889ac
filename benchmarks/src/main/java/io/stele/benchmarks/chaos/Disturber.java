package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import io.stele.testing.FaultProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A fault injector that plays a {@link Schedule} of store faults and sidecar incidents until the
 * end of a chaos run. It also restarts the sidecar whenever it does not run. Confined to one
 * thread.
 */
final class Disturber {
    private static final Duration EXTENSION = Duration.ofMinutes(4);
    private static final Duration WRONG_CLOCK = Duration.ofSeconds(3);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(5);
    private static final Duration DISK_BOUND = Duration.ofSeconds(4);

    /** Within which a sidecar whose log failed ends: its own bound is half of that. */
    private static final Duration END_BOUND = Duration.ofSeconds(30);

    private final Schedule schedule;
    private final SidecarKeeper sidecar;
    private final StoreFaults store;
    private final FaultProxy proxy;
    private final LogDisk disk;
    private final ClockSteps clock;
    private final Findings findings;

    Disturber(
            Schedule schedule,
            SidecarKeeper sidecar,
            StoreFaults store,
            FaultProxy proxy,
            LogDisk disk,
            ClockSteps clock,
            Findings findings) {
        this.schedule = requireNonNull(schedule, "schedule is null");
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.store = requireNonNull(store, "store is null");
        this.proxy = requireNonNull(proxy, "proxy is null");
        this.disk = requireNonNull(disk, "disk is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.findings = requireNonNull(findings, "findings is null");
    }

    /**
     * Runs for a time, and on a machine on which that is enough for few episodes, until there were
     * so many that all weathers and incidents came, for some minutes more at most.
     *
     * @throws LostSidecarException when the sidecar does not start any more
     */
    void play(Duration duration) throws IOException, InterruptedException, LostSidecarException {
        long end = System.nanoTime() + duration.toNanos();
        long lastEnd = end + EXTENSION.toNanos();
        int wanted = Schedule.leastEpisodes(duration);
        for (int played = 0; System.nanoTime() < (played < wanted ? lastEnd : end); played++) {
            Episode episode = schedule.next();
            rest(episode.calmMillis());
            findings.count("episodes");
            findings.count(
                    ChaosReport.EPISODES
                            + episode.weather().kind().key()
                            + " "
                            + episode.incident()
                                    .map(Incident::key)
                                    .orElse(ChaosReport.NO_INCIDENT));
            findings.say(describe(episode));
            store.turn(episode.weather());
            rest(episode.beforeMillis());
            if (episode.incident().isPresent()) {
                befall(episode.incident().get(), episode.strength());
            }
            rest(episode.afterMillis());
            calm();
            mend();
        }
    }

    /** Makes everything as it should be: calm, with late requests behind their senders. */
    void calm() throws IOException, InterruptedException {
        store.turn(Weather.CALM);
        int late = proxy.deliverLate().size();
        if (late > 0) {
            findings.count("late requests", late);
        }
    }

    private static String describe(Episode episode) {
        String weather =
                episode.weather().kind() == Weather.Kind.CALM
                        ? "calm"
                        : String.format(
                                Locale.ROOT,
                                "%s of %.0f %%",
                                episode.weather().kind().key(),
                                100 * episode.weather().share());
        return weather + episode.incident().map(incident -> ", " + incident.key()).orElse("");
    }

    private void befall(Incident incident, double strength)
            throws IOException, InterruptedException, LostSidecarException {
        switch (incident) {
            case KILL -> {
                if (sidecar.isAlive()) {
                    sidecar.kill();
                }
                start();
            }
            case STOP -> {
                if (sidecar.isAlive()) {
                    sidecar.stop();
                }
                start();
            }
            case PAUSE ->
                    sidecar.pause(Duration.ofMillis((long) (strength * MAX_PAUSE.toMillis())));
            case DISK -> fillDisk();
            case CLOCK -> {
                Duration offset = ClockSteps.offset(strength);
                for (Duration step : List.of(offset, offset.negated())) {
                    clock.step(step);
                    rest((int) WRONG_CLOCK.toMillis());
                }
                clock.step(Duration.ZERO);
            }
        }
    }

    private void fillDisk() throws IOException, InterruptedException {
        long pid = sidecar.pid();
        disk.fill(pid);
        if (!sidecar.awaitLogFailure(DISK_BOUND) && sidecar.isLogFull()) {
            findings.count("full disks outlived");
        }
        disk.free(pid);
    }

    /** Restarts a sidecar that ended, as a supervisor does. */
    void mend() throws IOException, InterruptedException, LostSidecarException {
        if (sidecar.isAlive() && sidecar.isLogFailing() && !sidecar.awaitLogFailure(END_BOUND)) {
            findings.violation(
                    "sidecar",
                    "its log failed, and it runs on %d s later".formatted(END_BOUND.toSeconds()));
            sidecar.dump("failed-log");
            sidecar.kill();
            start();
        } else if (sidecar.hasLogFailed()) {
            findings.count("failed logs");
            start();
        } else if (!sidecar.isAlive()) {
            findings.count("crashes");
            findings.violation(
                    "sidecar", "ended by itself; its log ends with: " + sidecar.logTail());
            start();
        }
        List<String> failed = sidecar.failedShards();
        if (!failed.isEmpty()) {
            findings.violation("sidecar", "shards stopped serving: " + failed);
            sidecar.dump("shards");
            sidecar.kill();
            start();
        }
    }

    /** The last crash, after which everything is verified. */
    void crashLast() throws IOException, InterruptedException, LostSidecarException {
        calm();
        mend();
        sidecar.kill();
        start();
    }

    private void start() throws IOException, InterruptedException, LostSidecarException {
        if (!sidecar.start(() -> store.turn(Weather.CALM))) {
            throw new LostSidecarException(
                    "does not start any more; its log ends with: " + sidecar.logTail());
        }
    }

    private static void rest(int millis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
    }

    /** The sidecar cannot be started any more. */
    static final class LostSidecarException extends Exception {
        private static final long serialVersionUID = 1;

        LostSidecarException(String message) {
            super(message);
        }
    }
}
