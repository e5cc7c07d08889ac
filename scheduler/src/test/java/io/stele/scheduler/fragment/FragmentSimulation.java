package io.stele.scheduler.fragment;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.FairPoolOptions;
import io.stele.scheduler.SchedulingGroup;
import io.stele.scheduler.SimulatedWorkers;
import io.stele.scheduler.Urgency;
import io.stele.scheduler.YieldSignal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Reads of several files at once, some of which fail and some of which nobody wants to the end,
 * over workers in virtual time. {@code -Dsimulation.seed=N} replays one seed.
 */
class FragmentSimulation {
    private static final int SEEDS = 300;
    private static final long MICROSECOND = 1_000;
    private static final long SECOND = 1_000_000_000;

    static LongStream seeds() {
        Long only = Long.getLong("simulation.seed");
        return only != null ? LongStream.of(only) : LongStream.range(0, SEEDS);
    }

    @ParameterizedTest(name = "-Dsimulation.seed={0}")
    @MethodSource("seeds")
    void everyBatchComesOnceOrTheReadEndsForAReason(long seed) {
        new Read(seed).run();
    }

    /** A batch: which one of which file. */
    private record Batch(int file, int number) {}

    private static final class Read {
        private final SplittableRandom random;
        private final SimulatedWorkers workers;
        private final List<Throwable> uncaught = new ArrayList<>();
        private final SchedulingGroup group;
        private final List<FileSource> files = new ArrayList<>();
        private final int[] received;
        private final int[] lengths;
        private final int failingFile;
        private final boolean cancelled;
        private final EdgeOptions options;
        private final int parallelism;
        private final Set<Edge<Batch>> open = new LinkedHashSet<>();
        private ExecutionContext consumer;
        private int pulls;
        private int answers;
        private boolean ended;
        private Throwable failure;

        Read(long seed) {
            random = new SplittableRandom(seed);
            workers =
                    new SimulatedWorkers(
                            FairPoolOptions.of(1 + random.nextInt(3))
                                    .withQuantumNanos((50 + random.nextInt(500)) * MICROSECOND),
                            uncaught::add);
            group = workers.pool().createGroup("read", 1000, Urgency.NORMAL);
            lengths = IntStream.range(0, random.nextInt(8)).map(i -> random.nextInt(20)).toArray();
            received = new int[lengths.length];
            failingFile =
                    lengths.length > 0 && random.nextInt(4) == 0
                            ? random.nextInt(lengths.length)
                            : -1;
            cancelled = random.nextInt(4) == 0;
            parallelism = 1 + random.nextInt(4);
            options =
                    new EdgeOptions(
                            1 + random.nextInt(3), random.nextInt(3), 1 + random.nextInt(100));
        }

        void run() {
            consumer = workers.pool().createContext("consumer", group);
            workers.at(0, () -> consumer.execute(this::openMore));
            if (cancelled) {
                workers.at(random.nextLong(20_000 * MICROSECOND), this::cancel);
                workers.at(random.nextLong(20_000 * MICROSECOND), this::cancel);
            }
            workers.runUntil(10 * SECOND);
            check();
        }

        private void cancel() {
            consumer.execute(() -> fail(new CancellationException("cancelled")));
        }

        private void fail(Throwable newFailure) {
            if (!ended && failure == null) {
                failure = newFailure;
            }
            open.forEach(Edge::cancel);
        }

        /** Opens as many files as are read at once, and uses all credits of each. */
        private void openMore() {
            while (failure == null && open.size() < parallelism && files.size() < lengths.length) {
                Edge<Batch> edge = open(files.size());
                open.add(edge);
                for (int i = 0; i < options.credits(); i++) {
                    ask(edge);
                }
            }
            ended |= failure == null && open.isEmpty();
        }

        private Edge<Batch> open(int file) {
            FileSource source = new FileSource(file);
            files.add(source);
            return new Edge<>(
                    "file " + file,
                    workers.pool().createContext("file " + file, group),
                    source,
                    options,
                    batch -> 40);
        }

        private final class FileSource implements BatchSource<Batch> {
            private final int file;
            private int made;
            private int closed;

            FileSource(int file) {
                this.file = file;
            }

            @Override
            public Produced<Batch> next(YieldSignal signal) throws Exception {
                assertThat(closed).as("a closed source was asked").isZero();
                workers.spend(random.nextLong(100 * MICROSECOND));
                if (random.nextInt(3) == 0) {
                    return new Produced.Working<>();
                }
                if (file == failingFile && made == lengths[file] / 2) {
                    throw new java.io.IOException("file " + file + " is broken");
                }
                return made == lengths[file]
                        ? new Produced.End<>()
                        : new Produced.Batch<>(new Batch(file, made++));
            }

            @Override
            public void close() {
                closed++;
            }
        }

        private void ask(Edge<Batch> edge) {
            pulls++;
            edge.pull()
                    .whenComplete(
                            (pulled, failed) -> consumer.execute(() -> take(edge, pulled, failed)));
        }

        private void take(Edge<Batch> edge, Pulled<Batch> pulled, Throwable failed) {
            answers++;
            workers.spend(random.nextLong(50 * MICROSECOND));
            if (failed != null) {
                fail(failed instanceof CompletionException ? failed.getCause() : failed);
                return;
            }
            pulled.batch()
                    .ifPresent(
                            batch -> {
                                assertThat(batch.number())
                                        .as("next batch of file %d", batch.file())
                                        .isEqualTo(received[batch.file()]++);
                            });
            if (!pulled.end()) {
                ask(edge);
            } else if (open.remove(edge)) {
                openMore();
            }
        }

        private void check() {
            assertThat(uncaught).isEmpty();
            assertThat(answers).as("answered pulls").isEqualTo(pulls);
            assertThat(ended || failure != null).as("the read ended").isTrue();
            if (failure instanceof CancellationException) {
                assertThat(cancelled).isTrue();
            } else if (failure != null) {
                assertThat(failure)
                        .isInstanceOf(FragmentException.class)
                        .hasMessageContaining("is broken");
                assertThat(((FragmentException) failure).fragment())
                        .isEqualTo("file " + failingFile);
            } else {
                assertThat(failingFile).as("a failure was swallowed").isEqualTo(-1);
                assertThat(Arrays.copyOf(received, received.length)).isEqualTo(lengths);
            }
            for (FileSource file : files) {
                assertThat(file.closed).as("closings of file %d", file.file).isEqualTo(1);
            }
            assertThat(workers.pool().status().groups())
                    .allSatisfy(
                            status ->
                                    assertThat(status.waitingContexts() + status.runningContexts())
                                            .isZero());
        }
    }
}
