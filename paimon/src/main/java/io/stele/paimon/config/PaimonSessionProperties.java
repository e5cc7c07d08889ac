package io.stele.paimon.config;

import static io.trino.plugin.base.session.PropertyMetadataUtil.dataSizeProperty;
import static io.trino.plugin.base.session.PropertyMetadataUtil.durationProperty;
import static io.trino.spi.StandardErrorCode.INVALID_SESSION_PROPERTY;
import static io.trino.spi.session.PropertyMetadata.booleanProperty;
import static io.trino.spi.session.PropertyMetadata.enumProperty;

import com.google.inject.Inject;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.trino.plugin.base.session.SessionPropertiesProvider;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.session.PropertyMetadata;
import java.util.List;

/** The session properties of the connector, and their values in a session. */
public final class PaimonSessionProperties implements SessionPropertiesProvider {
    private static final String SNAPSHOT_MAX_STALENESS = "snapshot_max_staleness";
    private static final String MAX_SPLIT_SIZE = "max_split_size";
    private static final String PROJECTION_PUSHDOWN_ENABLED = "projection_pushdown_enabled";
    private static final String DYNAMIC_FILTER_WAIT_TIMEOUT = "dynamic_filter_wait_timeout";

    private static final String INSERT_EXISTING_PARTITIONS_BEHAVIOR =
            "insert_existing_partitions_behavior";

    private static final Duration MAX_WAIT = Duration.valueOf(PaimonConfig.MAX_WAIT);
    private static final DataSize SMALLEST_SPLIT = DataSize.valueOf(PaimonConfig.MIN_SPLIT_SIZE);
    private static final DataSize LARGEST_SPLIT = DataSize.valueOf(PaimonConfig.MAX_SPLIT_SIZE);

    private final List<PropertyMetadata<?>> all;

    @Inject
    public PaimonSessionProperties(PaimonConfig config) {
        all =
                List.of(
                        durationProperty(
                                SNAPSHOT_MAX_STALENESS,
                                "The oldest state of a table that a query may see; 0s: asks the"
                                        + " lake at every query",
                                config.getSnapshotMaxStaleness(),
                                PaimonSessionProperties::checkAtMostAnHour,
                                false),
                        dataSizeProperty(
                                MAX_SPLIT_SIZE,
                                "Larger data files are read in parts of this size, each by a thread"
                                        + " of its own",
                                config.getMaxSplitSize(),
                                PaimonSessionProperties::checkSplitSize,
                                false),
                        durationProperty(
                                DYNAMIC_FILTER_WAIT_TIMEOUT,
                                "How long the planning of a scan waits for the other side of a"
                                        + " join",
                                config.getDynamicFilterWaitTimeout(),
                                PaimonSessionProperties::checkAtMostAnHour,
                                false),
                        booleanProperty(
                                PROJECTION_PUSHDOWN_ENABLED,
                                "Whether only the named fields of row columns are read",
                                true,
                                false),
                        enumProperty(
                                INSERT_EXISTING_PARTITIONS_BEHAVIOR,
                                "What INSERT does with the rows of a partition that it writes to:"
                                        + " APPEND or OVERWRITE; a table without partitions is one",
                                ExistingPartitions.class,
                                ExistingPartitions.APPEND,
                                false));
    }

    private static void checkAtMostAnHour(Duration value) {
        if (value.compareTo(MAX_WAIT) > 0) {
            throw new TrinoException(
                    INVALID_SESSION_PROPERTY,
                    "Expected at most %s, found %s".formatted(MAX_WAIT, value));
        }
    }

    private static void checkSplitSize(DataSize value) {
        if (value.compareTo(SMALLEST_SPLIT) < 0 || value.compareTo(LARGEST_SPLIT) > 0) {
            throw new TrinoException(
                    INVALID_SESSION_PROPERTY,
                    "Expected %s to %s, found %s".formatted(SMALLEST_SPLIT, LARGEST_SPLIT, value));
        }
    }

    @Override
    public List<PropertyMetadata<?>> getSessionProperties() {
        return all;
    }

    /** The greatest age of the state of a table that a query may see. */
    public static Duration snapshotMaxStaleness(ConnectorSession session) {
        return session.getProperty(SNAPSHOT_MAX_STALENESS, Duration.class);
    }

    /** Whether only the named fields of row columns are read. */
    public static boolean isProjectionPushdownEnabled(ConnectorSession session) {
        return session.getProperty(PROJECTION_PUSHDOWN_ENABLED, Boolean.class);
    }

    /** The size of the parts in which data files are read. */
    public static DataSize maxSplitSize(ConnectorSession session) {
        return session.getProperty(MAX_SPLIT_SIZE, DataSize.class);
    }

    /** Whether INSERT replaces the rows of the partitions that it writes to. */
    public static boolean overwritesPartitions(ConnectorSession session) {
        return session.getProperty(INSERT_EXISTING_PARTITIONS_BEHAVIOR, ExistingPartitions.class)
                == ExistingPartitions.OVERWRITE;
    }

    /** How long the planning of a scan waits for dynamic filters. */
    public static Duration dynamicFilterWait(ConnectorSession session) {
        return session.getProperty(DYNAMIC_FILTER_WAIT_TIMEOUT, Duration.class);
    }
}
