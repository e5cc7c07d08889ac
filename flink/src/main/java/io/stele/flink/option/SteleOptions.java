package io.stele.flink.option;

import io.stele.client.ClientSettings;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

/** The configuration keys of Stele's tables and catalogs, with defaults and descriptions. */
public final class SteleOptions {
    public static final ConfigOption<List<String>> ENDPOINTS =
            ConfigOptions.key("endpoints")
                    .stringType()
                    .asList()
                    .noDefaultValue()
                    .withDescription(
                            "Sidecars as host:port of stele.client.port, with ';' between them; any one leads to all.");

    /** Flink hides the values of keys that contain this word in its logs and web pages. */
    public static final ConfigOption<String> SECRET =
            ConfigOptions.key("secret")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("The shared secret of the sidecars (stele.shared-secret).");

    public static final ConfigOption<String> SCHEMA_NAME =
            ConfigOptions.key("schema-name")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("The schema of the table in Stele.");

    public static final ConfigOption<String> TABLE_NAME =
            ConfigOptions.key("table-name")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("The name of the table in Stele.");

    public static final ConfigOption<Boolean> TLS_ENABLED =
            ConfigOptions.key("tls.enabled")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Whether connections speak TLS.");

    public static final ConfigOption<String> TLS_TRUSTED_CERTIFICATES =
            ConfigOptions.key("tls.trusted-certificates")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "PEM file, on every machine of the job, with the certificates to trust; default: those of the JDK.");

    public static final ConfigOption<Duration> CONNECT_TIMEOUT =
            ConfigOptions.key("connect-timeout")
                    .durationType()
                    .defaultValue(ClientSettings.DEFAULT.connectTimeout())
                    .withDescription("Limit of opening a connection.");

    public static final ConfigOption<Duration> UNAVAILABLE_TIMEOUT =
            ConfigOptions.key("unavailable-timeout")
                    .durationType()
                    .defaultValue(ClientSettings.DEFAULT.unavailableTimeout())
                    .withDescription(
                            "How long a sidecar may be away before what waits for it fails.");

    public static final ConfigOption<Duration> BUSY_TIMEOUT =
            ConfigOptions.key("busy-timeout")
                    .durationType()
                    .defaultValue(ClientSettings.DEFAULT.busyTimeout())
                    .withDescription(
                            "How long writes that a sidecar refuses as BUSY are repeated before they fail.");

    public static final ConfigOption<DeliveryGuarantee> SINK_DELIVERY_GUARANTEE =
            ConfigOptions.key("sink.delivery-guarantee")
                    .enumType(DeliveryGuarantee.class)
                    .noDefaultValue()
                    .withDescription(
                            "exactly-once or at-least-once; default: exactly-once in streaming jobs with checkpoints.");

    public static final ConfigOption<Integer> SINK_BUFFER_FLUSH_MAX_ROWS =
            ConfigOptions.key("sink.buffer-flush.max-rows")
                    .intType()
                    .defaultValue(ClientSettings.DEFAULT.maxBatchRows())
                    .withDescription("At-least-once: rows of a shard at which they are sent.");

    public static final ConfigOption<MemorySize> SINK_BUFFER_FLUSH_MAX_SIZE =
            ConfigOptions.key("sink.buffer-flush.max-size")
                    .memoryType()
                    .defaultValue(new MemorySize(ClientSettings.DEFAULT.maxBatchBytes()))
                    .withDescription("At-least-once: bytes of a shard at which they are sent.");

    public static final ConfigOption<Duration> SINK_BUFFER_FLUSH_INTERVAL =
            ConfigOptions.key("sink.buffer-flush.interval")
                    .durationType()
                    .defaultValue(ClientSettings.DEFAULT.linger())
                    .withDescription(
                            "At-least-once: how long a row waits for others while earlier ones of its shard are unanswered.");

    public static final ConfigOption<MemorySize> SINK_MAX_IN_FLIGHT_SIZE =
            ConfigOptions.key("sink.max-in-flight-size")
                    .memoryType()
                    .defaultValue(new MemorySize(ClientSettings.DEFAULT.maxInFlightBytes()))
                    .withDescription(
                            "At-least-once: bytes sent by a subtask and not answered, at which it waits.");

    /** 32 MiB: a sidecar of the smallest recommended heap has room for several of them. */
    public static final ConfigOption<MemorySize> SINK_TRANSACTION_MAX_SIZE =
            ConfigOptions.key("sink.transaction.max-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(32))
                    .withDescription(
                            "Exactly-once: rows of a subtask and checkpoint beyond this go into a further transaction.");

    /** 256 MiB: a subtask with the usual memory has room for it beside its other work. */
    public static final ConfigOption<MemorySize> SINK_CHECKPOINT_MAX_SIZE =
            ConfigOptions.key("sink.checkpoint.max-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(256))
                    .withDescription(
                            "Exactly-once: most memory for rows of a subtask between two checkpoints; more fails the job.");

    public static final ConfigOption<Duration> SINK_COMMIT_TIMEOUT =
            ConfigOptions.key("sink.commit-timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(5))
                    .withDescription(
                            "Exactly-once: how long a commit is tried again before it fails the job.");

    public static final ConfigOption<String> SINK_COMMIT_SCHEMA =
            ConfigOptions.key("sink.commit-schema")
                    .stringType()
                    .defaultValue("stele_flink")
                    .withDescription(
                            "Exactly-once: schema of the table 'commits', where commits are recorded; made where it is missing.");

    public static final ConfigOption<Boolean> SINK_SHUFFLE_BY_SHARD =
            ConfigOptions.key("sink.shuffle-by-shard")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Tables with a primary key: whether rows of one shard, so of one key too, go to one subtask of the sink.");

    public static final ConfigOption<Boolean> LOOKUP_ASYNC =
            ConfigOptions.key("lookup.async")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether lookup joins have many lookups in flight; else one at a time.");

    public static final ConfigOption<Duration> SCAN_SNAPSHOT_TTL =
            ConfigOptions.key("scan.snapshot-ttl")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(10))
                    .withDescription(
                            "How long the snapshot of a scan, or the history that changes are read of, outlives a job that no longer renews it.");

    /** A scan renews its leases three times as often. The upper limit is for slow scans. */
    private static final Duration MIN_SNAPSHOT_TTL = Duration.ofSeconds(5);

    private static final Duration MAX_SNAPSHOT_TTL = Duration.ofHours(1);

    public static final ConfigOption<StartupMode> SCAN_STARTUP_MODE =
            ConfigOptions.key("scan.startup.mode")
                    .enumType(StartupMode.class)
                    .noDefaultValue()
                    .withDescription(
                            "Where the changes of an unbounded scan begin: initial, latest, timestamp or lsn; default: the scan is bounded.");

    public static final ConfigOption<Long> SCAN_STARTUP_TIMESTAMP_MILLIS =
            ConfigOptions.key("scan.startup.timestamp-millis")
                    .longType()
                    .noDefaultValue()
                    .withDescription(
                            "Mode timestamp: changes from this moment on, in milliseconds since 1970.");

    public static final ConfigOption<Long> SCAN_STARTUP_LSN =
            ConfigOptions.key("scan.startup.lsn")
                    .longType()
                    .noDefaultValue()
                    .withDescription("Mode lsn: changes after this LSN.");

    public static final ConfigOption<Duration> SCAN_POLL_INTERVAL =
            ConfigOptions.key("scan.poll-interval")
                    .durationType()
                    .defaultValue(Duration.ofMillis(100))
                    .withDescription("How often changes are asked for while there are none.");

    public static final ConfigOption<Boolean> SCAN_BEFORE_IMAGES =
            ConfigOptions.key("scan.before-images")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Tables with a primary key: whether the row before an update comes as well; else Flink restores it where it needs it.");

    public static final ConfigOption<Boolean> SCAN_INSERT_ONLY =
            ConfigOptions.key("scan.insert-only")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether rows of the table are only inserted, so that the changes can go wherever Flink takes nothing else; an updated or deleted row fails the job.");

    private SteleOptions() {}

    /**
     * The value of {@link #SCAN_SNAPSHOT_TTL}.
     *
     * @throws ValidationException the value is out of its range
     */
    public static Duration snapshotTtl(ReadableConfig config) {
        return duration(config, SCAN_SNAPSHOT_TTL, MIN_SNAPSHOT_TTL, MAX_SNAPSHOT_TTL);
    }

    /** The value of an option, checked against its range. */
    static Duration duration(
            ReadableConfig config, ConfigOption<Duration> option, Duration least, Duration most) {
        Duration value = config.get(option);
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new ValidationException(
                    "Expected '%s' of %s to %s, found %s"
                            .formatted(option.key(), least, most, value));
        }
        return value;
    }
}
