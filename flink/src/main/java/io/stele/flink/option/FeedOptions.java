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
 * The settings of a source of changes, beside its connection.
 *
 * @param startLsn the changes begin after it, if the mode gives one; negative: at the present
 * @param beforeImages whether the row before an update comes as well
 * @param insertOnly whether any change but an insert fails the job
 * @param pollInterval how often changes are asked for while there are none
 * @param leaseTime how long the history outlives a job that no longer renews its leases
 */
public record FeedOptions(
        StartupMode mode,
        long startLsn,
        boolean beforeImages,
        boolean insertOnly,
        Duration pollInterval,
        Duration leaseTime)
        implements Serializable {
    /**
     * More often than each millisecond is no use; see also {@link #pollInterval(ReadableConfig)}.
     */
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
     * The options of a table; empty: it has no startup mode, so a scan of it is bounded.
     *
     * @throws ValidationException an option is not in its range, is missing, or does not go with
     *     the mode
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

    /** The same with a mode. */
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
     * Leases are renewed when changes are asked for: of three attempts, one may fail, and one be
     * late.
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

    /** The value of an option that one mode needs, and the others do not have. */
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

    /** The LSN after which changes begin; empty: that of the moment when the job starts. */
    public Optional<Lsn> start() {
        return startLsn == PRESENT ? Optional.empty() : Optional.of(new Lsn(startLsn));
    }

    /** Whether the rows of a snapshot come before the changes. */
    public boolean readsSnapshot() {
        return mode == StartupMode.INITIAL;
    }
}
