package io.stele.flink;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Streaming jobs of tests in this JVM, and their faults. */
final class FlinkJobs {
    private static final long LIMIT_MILLIS = BaseSidecarIT.LIMIT.toMillis();

    private FlinkJobs() {}

    /** Jobs with many checkpoints, which are started again when they fail. */
    static StreamExecutionEnvironment environment(Configuration configuration, int parallelism) {
        Configuration all = new Configuration();
        all.setString("execution.checkpointing.interval", "300 ms");
        all.setString("restart-strategy.type", "fixed-delay");
        all.setString("restart-strategy.fixed-delay.attempts", "1000");
        all.setString("restart-strategy.fixed-delay.delay", "200 ms");
        all.addAll(configuration);
        return StreamExecutionEnvironment.createLocalEnvironment(parallelism, all);
    }

    /** Stops a job; returns the path of its savepoint. */
    static String stopWithSavepoint(JobClient running, Path directory) throws Exception {
        return running.stopWithSavepoint(
                        false,
                        directory.resolve("savepoints").toUri().toString(),
                        SavepointFormatType.CANONICAL)
                .get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** The configuration of a job that goes on from a savepoint. */
    static Configuration restoredFrom(String savepoint) {
        Configuration restored = new Configuration();
        restored.setString("execution.state-recovery.path", savepoint);
        return restored;
    }

    static void cancel(JobClient running) throws Exception {
        running.cancel().get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Finds the number of a change in its row. */
    interface NumberOf<T> extends Serializable {
        long number(T row);
    }

    /**
     * The identity, which fails at the first change from a number on, once in the life of this JVM.
     */
    record FailOnce<T>(String job, long at, NumberOf<T> numberOf) implements MapFunction<T, T> {
        private static final Set<String> FAILED = ConcurrentHashMap.newKeySet();

        /** Whether a job was failed. */
        static boolean hasFailed(String job) {
            return FAILED.contains(job);
        }

        @Override
        public T map(T row) {
            if (numberOf.number(row) >= at && FAILED.add(job)) {
                throw new IllegalStateException("The test fails the job at change " + at);
            }
            return row;
        }
    }
}
