package io.stele.flink.option;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

/**
 * The options of a change source, except its connection. Immutable, and serialized into jobs.
 *
 * @param startLsn the changes begin after it; negative: at the LSN when the job starts
 * @param beforeImages whether an update also emits the row before it
 * @param insertOnly whether any change except an insert fails the job
 * @param pollInterval time between two requests for changes while there are none
 * @param leaseTime time for which the history outlives a job that no longer renews its leases
 */
public record FeedOptions(
        StartupMode mode,
        long startLsn,
        boolean beforeImages,
        boolean insertOnly,
        Duration pollInterval,
        Duration leaseTime)
        implements Serializable {
    /** The shortest interval of requests; see also {@link #pollInterval(ReadableConfig)}. */
    private static final Duration MIN_POLL_INTERVAL = Duration.ofMillis(1);

    private static final Duration MAX_POLL_INTERVAL = Duration.ofMinutes(1);

    private static final long PRESENT = -1;
    private static final int LAST_COUNTER = (1 << 16) - 1;

    public FeedOptions {
        requireNonNull(mode, "mode is null");
        requireNonNull(pollInterval, "pollInterval is null");
        requireNonNull(leaseTime, "leaseTime is null");
    }

    /**
     * The change options of a table; empty: it has no startup mode, and its scan is bounded.
     *
     * @throws ValidationException an option is out of its range, missing, or does not apply to the
     *     mode
     */
    public static Optional<FeedOptions> of(ReadableConfig config) {
        Optional<StartupMode> mode = config.getOptional(SteleOptions.SCAN_STARTUP_MODE);
        if (mode.isEmpty()) {
            for (ConfigOption<?> option :
                    List.of(
                            SteleOptions.SCAN_STARTUP_TIMESTAMP_MILLIS,
                            SteleOptions.SCAN_STARTUP_LSN,
                            SteleOptions.SCAN_POLL_INTERVAL,
                            SteleOptions.SCAN_BEFORE_IMAGES,
                            SteleOptions.SCAN_INSERT_ONLY)) {
                if (config.getOptional(option).isPresent()) {
                    throw new ValidationException(
                            "Expected '%s' with '%s' only, found it in a bounded scan"
                                    .formatted(option.key(), SteleOptions.SCAN_STARTUP_MODE.key()));
                }
            }
            return Optional.empty();
        }
        return Optional.of(of(config, mode.get()));
    }

    /** The change options for a given startup mode. */
    public static FeedOptions of(ReadableConfig config, StartupMode mode) {
        Optional<Long> millis =
                given(
                        config,
                        mode,
                        StartupMode.TIMESTAMP,
                        SteleOptions.SCAN_STARTUP_TIMESTAMP_MILLIS);
        Optional<Long> lsn = given(config, mode, StartupMode.LSN, SteleOptions.SCAN_STARTUP_LSN);
        return new FeedOptions(
                mode,
                millis.map(FeedOptions::before).or(() -> lsn).orElse(PRESENT),
                config.get(SteleOptions.SCAN_BEFORE_IMAGES),
                config.get(SteleOptions.SCAN_INSERT_ONLY),
                pollInterval(config),
                SteleOptions.snapshotTtl(config));
    }

    /**
     * The poll interval, at most a third of the lease time. Polls renew the leases, so one renewal
     * may fail and another be late.
     */
    private static Duration pollInterval(ReadableConfig config) {
        Duration interval =
                SteleOptions.duration(
                        config,
                        SteleOptions.SCAN_POLL_INTERVAL,
                        MIN_POLL_INTERVAL,
                        MAX_POLL_INTERVAL);
        Duration leaseTime = SteleOptions.snapshotTtl(config);
        if (interval.multipliedBy(3).compareTo(leaseTime) > 0) {
            throw new ValidationException(
                    "Expected '%s' of at most a third of '%s', which is %s, found %s"
                            .formatted(
                                    SteleOptions.SCAN_POLL_INTERVAL.key(),
                                    SteleOptions.SCAN_SNAPSHOT_TTL.key(),
                                    leaseTime,
                                    interval));
        }
        return interval;
    }

    /** The value of an option that one mode requires and the other modes do not accept. */
    private static Optional<Long> given(
            ReadableConfig config, StartupMode mode, StartupMode its, ConfigOption<Long> option) {
        Optional<Long> value = config.getOptional(option);
        if (value.isPresent() != (mode == its)) {
            throw new ValidationException(
                    "Expected '%s' with '%s' = '%s', and only there, found it %s with '%s'"
                            .formatted(
                                    option.key(),
                                    SteleOptions.SCAN_STARTUP_MODE.key(),
                                    its,
                                    value.isPresent() ? "set" : "missing",
                                    mode));
        }
        if (value.isPresent() && value.get() < 0) {
            throw new ValidationException(
                    "Expected '%s' >= 0, found %d".formatted(option.key(), value.get()));
        }
        return value;
    }

    /** The last LSN before a millisecond. */
    private static long before(long millis) {
        try {
            return millis == 0 ? 0 : Lsn.of(millis - 1, LAST_COUNTER).value();
        } catch (IllegalArgumentException tooLate) {
            throw new ValidationException(
                    "Expected '%s' before the year 6429, found %d"
                            .formatted(SteleOptions.SCAN_STARTUP_TIMESTAMP_MILLIS.key(), millis),
                    tooLate);
        }
    }

    /** The LSN after which changes begin; empty: the LSN when the job starts. */
    public Optional<Lsn> start() {
        return startLsn == PRESENT ? Optional.empty() : Optional.of(new Lsn(startLsn));
    }

    /** Whether the rows of a snapshot precede the changes. */
    public boolean readsSnapshot() {
        return mode == StartupMode.INITIAL;
    }
}
