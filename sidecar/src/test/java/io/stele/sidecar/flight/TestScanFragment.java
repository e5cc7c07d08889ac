package io.stele.sidecar.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.scan.RowCursor;
import io.stele.objectstore.NonBlocking;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.SimulatedPool;
import io.stele.scheduler.Urgency;
import io.stele.scheduler.fragment.Edge;
import io.stele.scheduler.fragment.FragmentException;
import io.stele.scheduler.fragment.Pulled;
import io.stele.sidecar.SampleTables;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/**
 * Scans on one thread, where the seed decides in which order contexts and reads of the store run
 * and which steps have to wait for the store.
 */
final class TestScanFragment {
    private static final TableSchema ORDERS = SampleTables.orders(Orientation.ROW);
    private static final int ROWS = 300;

    private final RowLayout layout = RowLayout.of(ORDERS.columns());

    @Test
    void everyRowOnceWhateverHasToWait() {
        for (int seed = 0; seed < 200; seed++) {
            Run run = new Run(seed, OptionalLong.empty());
            assertThat(run.pullAll()).as("rows of seed %s", seed).isEqualTo(ROWS / 2);
            run.checkEnded();
        }
    }

    @Test
    void noMoreThanTheLimit() {
        for (int seed = 0; seed < 50; seed++) {
            Run run = new Run(seed, OptionalLong.of(seed));
            assertThat(run.pullAll()).as("rows of seed %s", seed).isEqualTo(seed);
            run.checkEnded();
        }
    }

    @Test
    void aClientThatGoesEndsItOnceWhereverItIs() {
        for (int seed = 0; seed < 500; seed++) {
            Run run = new Run(seed, OptionalLong.empty());
            CompletableFuture<Pulled<ScanBatch>> first = run.edge.pull();
            CompletableFuture<Pulled<ScanBatch>> second = run.edge.pull();
            int steps = new SplittableRandom(seed).nextInt(60);
            for (int i = 0; i < steps; i++) {
                run.pool.runOne();
            }
            run.edge.cancel();
            run.pool.runUntilIdle(100_000);
            assertThat(first).as("seed %s", seed).isDone();
            assertThat(second).as("seed %s", seed).isDone();
            run.checkEnded();
        }
    }

    @Test
    void aFailureSaysInWhichFragment() {
        for (int seed = 0; seed < 100; seed++) {
            Run run = new Run(seed, OptionalLong.empty());
            run.failAtRow = new SplittableRandom(seed).nextInt(ROWS);
            assertThatThrownBy(run::pullAll)
                    .as("seed %s", seed)
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOf(FragmentException.class)
                    .hasMessageContaining("scan of orders")
                    .hasRootCauseMessage("disk on fire");
            run.checkEnded();
        }
    }

    @Test
    void aFullPoolOfReadsFailsTheScan() {
        Run run = new Run(3, OptionalLong.empty());
        run.refuseReads = true;
        assertThatThrownBy(run::pullAll).hasRootCauseMessage("full");
        run.checkEnded();
    }

    /** One scan of 300 versions, every second of which is a row to be sent. */
    private final class Run {
        private final SimulatedPool pool;
        private final SplittableRandom random;
        private final Edge<ScanBatch> edge;
        private int failAtRow = -1;
        private boolean refuseReads;
        private int opened;
        private int closed;
        private int ended;
        private boolean inUse;

        Run(int seed, OptionalLong limit) {
            this.random = new SplittableRandom(seed);
            this.pool =
                    new SimulatedPool(
                            new java.util.Random(seed),
                            failure -> {
                                throw new AssertionError(failure);
                            });
            ExecutionContext context =
                    pool.createContext(
                            "scan of orders", pool.createGroup("g", 100, Urgency.NORMAL));
            ScanTicket ticket =
                    ScanTicket.of(ORDERS.id(), ScanMode.SNAPSHOT, List.of(1, 2))
                            .in(ORDERS.shard(0))
                            .limit(limit)
                            .build();
            this.edge =
                    ScanFragment.open(
                            context,
                            ticket,
                            this::open,
                            200,
                            task -> {
                                if (refuseReads) {
                                    throw new RejectedExecutionException("full");
                                }
                                pool.execute(task);
                            },
                            () -> ended++);
        }

        private RowCursor open() {
            mayWait();
            opened++;
            return new Cursor();
        }

        private void mayWait() {
            if (random.nextInt(4) == 0) {
                NonBlocking.check();
            }
        }

        /** Pulls to the end; returns how many rows came, which must be those in order. */
        private long pullAll() {
            long rows = 0;
            while (true) {
                CompletableFuture<Pulled<ScanBatch>> pull = edge.pull();
                pool.runUntilIdle(100_000);
                Optional<ScanBatch> batch = pull.join().batch();
                if (batch.isEmpty()) {
                    return rows;
                }
                rows += batch.get().rowCount();
            }
        }

        private void checkEnded() {
            pool.runUntilIdle(100_000);
            assertThat(ended).isEqualTo(1);
            assertThat(closed).isEqualTo(opened);
            assertThat(opened).isLessThanOrEqualTo(1);
        }

        private final class Cursor implements RowCursor {
            private final BinaryRow row = new BinaryRow(layout);
            private int next;

            @Override
            public Step step() throws IOException {
                assertThat(inUse).isFalse();
                inUse = true;
                try {
                    mayWait();
                    if (next == failAtRow) {
                        throw new IOException("disk on fire");
                    }
                    if (next == ROWS) {
                        return Step.END;
                    }
                    row.wrap(Rows.toBytes(layout, (long) next, "open", 1.0, null));
                    return next++ % 2 == 0 ? Step.ROW : Step.NONE;
                } finally {
                    inUse = false;
                }
            }

            @Override
            public TableSchema schema() {
                return ORDERS;
            }

            @Override
            public BinaryRow row() {
                return row;
            }

            @Override
            public long lsn() {
                return Lsn.MIN.value();
            }

            @Override
            public long rowId() {
                return -1;
            }

            @Override
            public void close() {
                closed++;
            }
        }
    }
}
