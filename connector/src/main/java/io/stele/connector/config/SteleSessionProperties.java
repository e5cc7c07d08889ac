package io.stele.connector.config;

import static io.trino.plugin.base.session.PropertyMetadataUtil.durationProperty;
import static io.trino.spi.StandardErrorCode.INVALID_SESSION_PROPERTY;
import static io.trino.spi.session.PropertyMetadata.booleanProperty;
import static io.trino.spi.session.PropertyMetadata.enumProperty;
import static io.trino.spi.session.PropertyMetadata.integerProperty;
import static io.trino.spi.session.PropertyMetadata.longProperty;
import static io.trino.spi.session.PropertyMetadata.stringProperty;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.common.collect.ImmutableList;
import io.airlift.units.Duration;
import io.stele.connector.handle.ExistingRows;
import io.stele.protocol.Lsn;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.predicate.PredicateKeys;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.session.PropertyMetadata;
import java.util.List;
import java.util.Optional;

/**
 * The session properties of the connector and their values in a session: {@code SET SESSION
 * stele.<name> = <value>}.
 */
public final class SteleSessionProperties {
    private static final String READ_LSN = "read_lsn";
    private static final String INDEX_LOOKUP_ENABLED = "index_lookup_enabled";
    private static final String LOOKUP_MAX_KEYS = "lookup_max_keys";
    private static final String COST_BASED_LOOKUPS_ENABLED = "cost_based_lookups_enabled";
    private static final String INDEX_JOIN_ENABLED = "index_join_enabled";
    private static final String DYNAMIC_FILTERING_WAIT_TIMEOUT = "dynamic_filtering_wait_timeout";
    private static final String PREFERRED_WORKERS_ENABLED = "preferred_workers_enabled";
    private static final String DATA_CACHE_ENABLED = "data_cache_enabled";
    private static final String FOOTER_CACHE_ENABLED = "footer_cache_enabled";
    private static final String COLUMN_CACHE_ENABLED = "column_cache_enabled";
    private static final String METADATA_CACHE_ENABLED = "metadata_cache_enabled";
    private static final String STATISTICS_ENABLED = "statistics_enabled";
    private static final String INSERT_EXISTING_ROWS_BEHAVIOR = "insert_existing_rows_behavior";
    private static final String BUCKET_EXECUTION_ENABLED = "bucket_execution_enabled";
    private static final String PROJECTION_PUSHDOWN_ENABLED = "projection_pushdown_enabled";
    private static final String AGGREGATION_PUSHDOWN_ENABLED = "aggregation_pushdown_enabled";
    private static final String AGGREGATION_PUSHDOWN_MAX_GROUPS = "aggregation_pushdown_max_groups";
    private static final String AGGREGATION_PUSHDOWN_MAX_ROWS = "aggregation_pushdown_max_rows";
    private static final String COST_BASED_AGGREGATION_ENABLED = "cost_based_aggregation_enabled";
    private static final String RESULT_CACHE_ENABLED = "fragment_cache_enabled";

    /** The least history that {@code expire_snapshots} must leave. */
    public static final String EXPIRE_SNAPSHOTS_MIN_RETENTION = "expire_snapshots_min_retention";

    /** The least age of files that {@code remove_orphan_files} may delete. */
    public static final String REMOVE_ORPHAN_FILES_MIN_RETENTION =
            "remove_orphan_files_min_retention";

    private static final String RESOURCE_GROUP = "resource_group";

    // As in Iceberg: a join does not start before its other side is read anyway
    private static final Duration DEFAULT_DYNAMIC_FILTERING_WAIT = new Duration(1, SECONDS);

    // A query that named a moment of the past is over by then, as a rule
    private static final Duration DEFAULT_EXPIRE_SNAPSHOTS_MIN_RETENTION =
            new Duration(10, MINUTES);

    // As in Iceberg: longer than any write, and than any difference of clocks
    private static final Duration DEFAULT_REMOVE_ORPHAN_FILES_MIN_RETENTION = new Duration(7, DAYS);

    // Enough for a dashboard; more groups are better combined by many workers than by one sidecar
    private static final int DEFAULT_MAX_GROUPS = 10_000;

    // Some seconds of a sidecar with a few cores; larger tables are aggregated faster by the cores
    // of many workers
    private static final long DEFAULT_MAX_ROWS = 100_000_000;

    private SteleSessionProperties() {}

    /**
     * Every property with its default.
     *
     * @param aggregationPushdown the catalog's default of aggregation_pushdown_enabled
     */
    public static List<PropertyMetadata<?>> all(boolean aggregationPushdown) {
        return ImmutableList.of(
                longProperty(
                        READ_LSN,
                        "Queries see every write at or below this LSN, such as that of a write through a client",
                        null,
                        SteleSessionProperties::checkLsn,
                        false),
                booleanProperty(
                        INDEX_LOOKUP_ENABLED,
                        "Find few rows by a secondary index whose columns a query gives values",
                        true,
                        false),
                integerProperty(
                        LOOKUP_MAX_KEYS,
                        "Most keys that a query may list to have their rows looked up instead of scanned for; 0: none",
                        PredicateKeys.MAX_PRIMARY_KEYS,
                        SteleSessionProperties::checkLookupKeys,
                        false),
                booleanProperty(
                        COST_BASED_LOOKUPS_ENABLED,
                        "Look keys that joins find up only where that is estimated to cost less than a scan",
                        true,
                        false),
                booleanProperty(
                        INDEX_JOIN_ENABLED,
                        "Look up the side of a join that is joined by its primary key or a unique index, instead of scanning it: for few rows on the other side",
                        false,
                        false),
                durationProperty(
                        DYNAMIC_FILTERING_WAIT_TIMEOUT,
                        "How long the splits of a scan wait for what a join finds out about the rows that it needs",
                        DEFAULT_DYNAMIC_FILTERING_WAIT,
                        false),
                booleanProperty(
                        PREFERRED_WORKERS_ENABLED,
                        "Read each file on the worker that caches it; otherwise on any worker, which caches it too",
                        true,
                        false),
                booleanProperty(
                        DATA_CACHE_ENABLED,
                        "Read data files through the data page cache, where the catalog has one",
                        true,
                        false),
                booleanProperty(
                        FOOTER_CACHE_ENABLED,
                        "Keep footers of data files in the memory of workers",
                        true,
                        false),
                booleanProperty(
                        COLUMN_CACHE_ENABLED,
                        "Keep decoded columns of data files in the memory of workers",
                        true,
                        false),
                booleanProperty(
                        METADATA_CACHE_ENABLED,
                        "Use definitions and statistics of tables and views that other queries have loaded, where the catalog keeps them",
                        true,
                        false),
                booleanProperty(
                        STATISTICS_ENABLED,
                        "Plan with what is known of the rows of tables",
                        true,
                        false),
                enumProperty(
                        INSERT_EXISTING_ROWS_BEHAVIOR,
                        "What INSERT does where its key is there already: REPLACE the row, FAIL, or IGNORE the new one",
                        ExistingRows.class,
                        ExistingRows.REPLACE,
                        false),
                booleanProperty(
                        BUCKET_EXECUTION_ENABLED,
                        "Join and aggregate on the distribution key where the rows are, without an exchange",
                        true,
                        false),
                booleanProperty(
                        PROJECTION_PUSHDOWN_ENABLED,
                        "Read of row columns only the fields that a query names",
                        true,
                        false),
                durationProperty(
                        EXPIRE_SNAPSHOTS_MIN_RETENTION,
                        "Least retention_threshold of expire_snapshots",
                        DEFAULT_EXPIRE_SNAPSHOTS_MIN_RETENTION,
                        false),
                durationProperty(
                        REMOVE_ORPHAN_FILES_MIN_RETENTION,
                        "Least retention_threshold of remove_orphan_files",
                        DEFAULT_REMOVE_ORPHAN_FILES_MIN_RETENTION,
                        false),
                booleanProperty(
                        AGGREGATION_PUSHDOWN_ENABLED,
                        "Let the sidecar aggregate where all conditions are exact and few groups come out",
                        aggregationPushdown,
                        false),
                integerProperty(
                        AGGREGATION_PUSHDOWN_MAX_GROUPS,
                        "Most groups, as statistics estimate them, that the sidecar is asked for",
                        DEFAULT_MAX_GROUPS,
                        SteleSessionProperties::checkMaxGroups,
                        false),
                booleanProperty(
                        COST_BASED_AGGREGATION_ENABLED,
                        "Let the sidecar aggregate only where that is estimated to cost less than a scan by workers",
                        true,
                        false),
                booleanProperty(
                        RESULT_CACHE_ENABLED,
                        "Use, and cache, results of aggregations in single files and rows that filters leave of them",
                        true,
                        false),
                longProperty(
                        AGGREGATION_PUSHDOWN_MAX_ROWS,
                        "Most rows of a table that the sidecar is asked to aggregate",
                        DEFAULT_MAX_ROWS,
                        false),
                stringProperty(
                        RESOURCE_GROUP,
                        "Resource group of the query, by which sidecars choose its scheduling group; for session property managers",
                        "",
                        false));
    }

    /**
     * The identity of the session's query, by which sidecars choose a scheduling group, and which
     * scans belong together in it.
     */
    public static QueryIdentity queryIdentity(ConnectorSession session) {
        return new QueryIdentity(
                session.getUser(),
                session.getSource().orElse(""),
                session.getProperty(RESOURCE_GROUP, String.class),
                session.getQueryId());
    }

    /** The LSN that the session's queries must see; empty: none in particular. */
    public static Optional<Lsn> readLsn(ConnectorSession session) {
        return Optional.ofNullable(session.getProperty(READ_LSN, Long.class)).map(Lsn::new);
    }

    /** The behaviour of INSERT for existing keys. */
    public static ExistingRows existingRows(ConnectorSession session) {
        return session.getProperty(INSERT_EXISTING_ROWS_BEHAVIOR, ExistingRows.class);
    }

    /** Whether queries may use secondary indexes. */
    public static boolean isIndexLookupEnabled(ConnectorSession session) {
        return session.getProperty(INDEX_LOOKUP_ENABLED, Boolean.class);
    }

    /** Most keys of one lookup; 0: none. */
    public static int lookupMaxKeys(ConnectorSession session) {
        return session.getProperty(LOOKUP_MAX_KEYS, Integer.class);
    }

    /** Whether keys are looked up only where a scan is estimated to cost more. */
    public static boolean isCostBasedLookupsEnabled(ConnectorSession session) {
        return session.getProperty(COST_BASED_LOOKUPS_ENABLED, Boolean.class);
    }

    /** Whether sides of joins are looked up by key. */
    public static boolean isIndexJoinEnabled(ConnectorSession session) {
        return session.getProperty(INDEX_JOIN_ENABLED, Boolean.class);
    }

    /** How long the splits of a scan wait for dynamic filters. */
    public static long dynamicFilteringWaitMillis(ConnectorSession session) {
        return session.getProperty(DYNAMIC_FILTERING_WAIT_TIMEOUT, Duration.class).toMillis();
    }

    /** Whether files are read on their preferred workers. */
    public static boolean isPreferredWorkersEnabled(ConnectorSession session) {
        return session.getProperty(PREFERRED_WORKERS_ENABLED, Boolean.class);
    }

    /** Whether files are read through the data page cache. */
    public static boolean isDataCacheEnabled(ConnectorSession session) {
        return session.getProperty(DATA_CACHE_ENABLED, Boolean.class);
    }

    /** Whether footers of files are cached. */
    public static boolean isFooterCacheEnabled(ConnectorSession session) {
        return session.getProperty(FOOTER_CACHE_ENABLED, Boolean.class);
    }

    /** Whether decoded columns of files are cached. */
    public static boolean isColumnCacheEnabled(ConnectorSession session) {
        return session.getProperty(COLUMN_CACHE_ENABLED, Boolean.class);
    }

    /** Whether the sidecar may aggregate. */
    public static boolean isAggregationPushdownEnabled(ConnectorSession session) {
        return session.getProperty(AGGREGATION_PUSHDOWN_ENABLED, Boolean.class);
    }

    /** Whether the sidecar aggregates only where a scan by workers is estimated to cost more. */
    public static boolean isCostBasedAggregationEnabled(ConnectorSession session) {
        return session.getProperty(COST_BASED_AGGREGATION_ENABLED, Boolean.class);
    }

    /** Whether cached results of files may be used. */
    public static boolean isResultCacheEnabled(ConnectorSession session) {
        return session.getProperty(RESULT_CACHE_ENABLED, Boolean.class);
    }

    /** Most groups of an aggregation in the sidecar. */
    public static int aggregationPushdownMaxGroups(ConnectorSession session) {
        return session.getProperty(AGGREGATION_PUSHDOWN_MAX_GROUPS, Integer.class);
    }

    /** Most rows of a table that the sidecar aggregates. */
    public static long aggregationPushdownMaxRows(ConnectorSession session) {
        return session.getProperty(AGGREGATION_PUSHDOWN_MAX_ROWS, Long.class);
    }

    private static void checkMaxGroups(Integer value) {
        if (value < 1 || value > Aggregation.MAX_GROUPS / 10) {
            throw new TrinoException(
                    INVALID_SESSION_PROPERTY,
                    "Expected 1 to %s groups for aggregation_pushdown_max_groups, found %s"
                            .formatted(Aggregation.MAX_GROUPS / 10, value));
        }
    }

    private static void checkLookupKeys(Integer value) {
        if (value < 0 || value > PredicateKeys.MAX_PRIMARY_KEYS) {
            throw new TrinoException(
                    INVALID_SESSION_PROPERTY,
                    "Expected 0 to %s keys for lookup_max_keys, found %s"
                            .formatted(PredicateKeys.MAX_PRIMARY_KEYS, value));
        }
    }

    /** Whether metadata of tables and views that other queries have loaded is used. */
    public static boolean isMetadataCacheEnabled(ConnectorSession session) {
        return session.getProperty(METADATA_CACHE_ENABLED, Boolean.class);
    }

    /** Whether the optimizer gets statistics. */
    public static boolean isStatisticsEnabled(ConnectorSession session) {
        return session.getProperty(STATISTICS_ENABLED, Boolean.class);
    }

    /** Whether scans may be grouped by shard. */
    public static boolean isBucketExecutionEnabled(ConnectorSession session) {
        return session.getProperty(BUCKET_EXECUTION_ENABLED, Boolean.class);
    }

    /** Whether fields of rows may be columns of scans. */
    public static boolean isProjectionPushdownEnabled(ConnectorSession session) {
        return session.getProperty(PROJECTION_PUSHDOWN_ENABLED, Boolean.class);
    }

    private static void checkLsn(Long value) {
        if (value < 0) {
            throw new TrinoException(
                    INVALID_SESSION_PROPERTY,
                    "Expected an LSN of at least 0 for read_lsn, found " + value);
        }
    }
}
