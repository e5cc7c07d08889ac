package io.stele.connector.metadata.catalog;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.session.PropertyMetadata.integerProperty;
import static io.trino.spi.session.PropertyMetadata.stringProperty;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.airlift.units.Duration;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.FileCompression;
import io.stele.protocol.schema.IndexDefinition;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.TrinoException;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.type.ArrayType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The table properties of CREATE TABLE ... WITH (...), with their parsers and checks, and their
 * values for SHOW CREATE TABLE. Stateless.
 */
public final class TableProperties {
    public static final String PRIMARY_KEY = "primary_key";
    public static final String ORIENTATION = "orientation";
    public static final String DISTRIBUTION_KEY = "distribution_key";
    public static final String CLUSTERING_KEY = "clustering_key";
    public static final String PARTITIONED_BY = "partitioned_by";
    public static final String TABLE_GROUP = "table_group";
    public static final String SHARD_COUNT = "shard_count";
    public static final String RETENTION = "retention";
    public static final String TIME_TO_LIVE = "time_to_live";
    public static final String COMPRESSION = "compression";
    public static final String SEGMENT_KEY = "segment_key";
    public static final String BITMAP_COLUMNS = "bitmap_columns";
    public static final String DICTIONARY_COLUMNS = "dictionary_columns";
    public static final String INDEXES = "indexes";

    /**
     * Enough for the cores of a small host to share the work of one table; more only cost memory
     * there.
     */
    public static final int DEFAULT_SHARD_COUNT = 4;

    private TableProperties() {}

    public static List<PropertyMetadata<?>> all() {
        return ImmutableList.of(
                columns(
                        PRIMARY_KEY,
                        "Columns whose values identify a row; a row with the same values replaces it. None: rows are only appended"),
                new PropertyMetadata<>(
                        ORIENTATION,
                        "How rows are stored: 'column' (default) for scans, 'row' for lookups by key, 'row,column' for both",
                        VARCHAR,
                        Orientation.class,
                        Orientation.COLUMN,
                        false,
                        value -> parseOrientation((String) value),
                        Orientation::text),
                columns(
                        DISTRIBUTION_KEY,
                        "Columns whose values choose the shard of a row; default: the primary key"),
                columns(
                        CLUSTERING_KEY,
                        "Columns by which the rows of a file are sorted; default: the primary key"),
                columns(PARTITIONED_BY, "Columns by whose values files are separated"),
                stringProperty(
                        TABLE_GROUP,
                        "Table group that the table belongs to; created if there is none of the name",
                        "",
                        false),
                integerProperty(
                        SHARD_COUNT,
                        "Number of shards of the table's group",
                        DEFAULT_SHARD_COUNT,
                        TableProperties::checkShardCount,
                        false),
                duration(
                        RETENTION,
                        "How long superseded and deleted rows stay readable by time travel, as '1h'; default: the sidecar's"),
                duration(
                        TIME_TO_LIVE,
                        "Age of a row's last write at which it disappears, as '30d'; default: never"),
                new PropertyMetadata<>(
                        COMPRESSION,
                        "How new files are compressed: 'lz4', 'zstd' or 'none'",
                        VARCHAR,
                        FileCompression.class,
                        null,
                        false,
                        value -> parseCompression((String) value),
                        FileCompression::text),
                columns(
                        SEGMENT_KEY,
                        "Columns, event time as a rule, that files are cut on and carry the range of"),
                columns(BITMAP_COLUMNS, "Columns with a bitmap index in every column file"),
                columns(
                        DICTIONARY_COLUMNS,
                        "Text columns that column files always store by dictionary"),
                new PropertyMetadata<>(
                        INDEXES,
                        "Secondary indexes, each 'name(column, ...)' or 'unique name(column, ...)'",
                        new ArrayType(VARCHAR),
                        List.class,
                        ImmutableList.of(),
                        false,
                        value ->
                                ((Collection<?>) value)
                                        .stream()
                                                .map(TableProperties::parseIndex)
                                                .collect(toImmutableList()),
                        value ->
                                ((Collection<?>) value)
                                        .stream()
                                                .map(index -> ((IndexDefinition) index).text())
                                                .collect(toImmutableList())));
    }

    /**
     * The properties of materialized views, whose rows are in a table without a key and do not
     * expire.
     */
    public static List<PropertyMetadata<?>> ofMaterializedViews() {
        Set<String> ofTablesOnly =
                Set.of(PRIMARY_KEY, DISTRIBUTION_KEY, ORIENTATION, TIME_TO_LIVE, INDEXES);
        return all().stream()
                .filter(property -> !ofTablesOnly.contains(property.getName()))
                .collect(toImmutableList());
    }

    /** The declared indexes, in their order. */
    public static List<IndexDefinition> indexes(Map<String, Object> properties) {
        if (!(properties.get(INDEXES) instanceof List<?> indexes)) {
            return List.of();
        }
        return indexes.stream().map(IndexDefinition.class::cast).toList();
    }

    /** A duration in milliseconds; empty when it is not given. */
    public static OptionalLong millis(Map<String, Object> properties, String property) {
        return properties.get(property) instanceof Duration duration
                ? OptionalLong.of(duration.toMillis())
                : OptionalLong.empty();
    }

    /** The compression that is set; empty if none is. */
    public static Optional<FileCompression> compression(Map<String, Object> properties) {
        return properties.get(COMPRESSION) instanceof FileCompression compression
                ? Optional.of(compression)
                : Optional.empty();
    }

    public static Orientation orientation(Map<String, Object> properties) {
        return properties.get(ORIENTATION) instanceof Orientation orientation
                ? orientation
                : Orientation.COLUMN;
    }

    public static int shardCount(Map<String, Object> properties) {
        return properties.get(SHARD_COUNT) instanceof Integer count ? count : DEFAULT_SHARD_COUNT;
    }

    public static String tableGroup(Map<String, Object> properties) {
        return properties.get(TABLE_GROUP) instanceof String name ? name : "";
    }

    /** The options that ALTER TABLE ... SET PROPERTIES changes; other properties are refused. */
    public static List<TableOption> changedOptions(Map<String, Optional<Object>> properties) {
        ImmutableList.Builder<TableOption> changed = ImmutableList.builder();
        for (String property : properties.keySet()) {
            try {
                changed.add(TableOption.of(property));
            } catch (SteleException e) {
                throw new TrinoException(INVALID_TABLE_PROPERTY, String.valueOf(e.getMessage()), e);
            }
        }
        return changed.build();
    }

    /**
     * Properties of ALTER TABLE ... SET PROPERTIES; properties to set to their default are left
     * out.
     */
    public static Map<String, Object> values(Map<String, Optional<Object>> properties) {
        ImmutableMap.Builder<String, Object> values = ImmutableMap.builder();
        properties.forEach((name, value) -> value.ifPresent(given -> values.put(name, given)));
        return values.buildOrThrow();
    }

    /**
     * The properties by which CREATE TABLE makes an equal table; properties at their default are
     * left out.
     */
    public static Map<String, Object> of(TableSchema table) {
        ImmutableMap.Builder<String, Object> properties = ImmutableMap.builder();
        putColumns(properties, PRIMARY_KEY, table, table.primaryKey());
        if (table.orientation() != Orientation.COLUMN) {
            properties.put(ORIENTATION, table.orientation());
        }
        if (!table.distributionKey().equals(table.primaryKey())) {
            putColumns(properties, DISTRIBUTION_KEY, table, table.distributionKey());
        }
        if (!table.clusteringKey().equals(table.primaryKey())) {
            putColumns(properties, CLUSTERING_KEY, table, table.clusteringKey());
        }
        putColumns(properties, PARTITIONED_BY, table, table.partitionedBy());
        if (table.shardCount() != DEFAULT_SHARD_COUNT) {
            properties.put(SHARD_COUNT, table.shardCount());
        }
        TableOptions options = table.options();
        putDuration(properties, RETENTION, options.retentionMillis());
        putDuration(properties, TIME_TO_LIVE, options.timeToLiveMillis());
        options.compression().ifPresent(compression -> properties.put(COMPRESSION, compression));
        putColumns(properties, SEGMENT_KEY, table, options.segmentKey());
        putColumns(properties, BITMAP_COLUMNS, table, options.bitmapColumns());
        putColumns(properties, DICTIONARY_COLUMNS, table, options.dictionaryColumns());
        if (!options.indexes().isEmpty()) {
            properties.put(
                    INDEXES,
                    options.indexes().stream()
                            .map(index -> definition(table, index))
                            .collect(toImmutableList()));
        }
        return properties.buildOrThrow();
    }

    private static void putColumns(
            ImmutableMap.Builder<String, Object> properties,
            String property,
            TableSchema table,
            List<Integer> columnIds) {
        if (!columnIds.isEmpty()) {
            properties.put(
                    property,
                    table.columns(columnIds).stream()
                            .map(ColumnSchema::name)
                            .collect(toImmutableList()));
        }
    }

    private static void putDuration(
            ImmutableMap.Builder<String, Object> properties, String property, OptionalLong millis) {
        if (millis.isPresent()) {
            properties.put(property, exactDuration(millis.getAsLong()));
        }
    }

    /**
     * The duration in the largest unit of which it is a whole number, so that the shown value can
     * be used as input.
     */
    private static Duration exactDuration(long millis) {
        for (TimeUnit unit : List.of(DAYS, HOURS, MINUTES, SECONDS)) {
            if (millis % unit.toMillis(1) == 0) {
                return new Duration((double) unit.convert(millis, MILLISECONDS), unit);
            }
        }
        return new Duration((double) millis, MILLISECONDS);
    }

    private static IndexDefinition definition(TableSchema table, IndexSchema index) {
        List<String> columns =
                table.columns(index.columns()).stream()
                        .map(ColumnSchema::name)
                        .collect(toImmutableList());
        return new IndexDefinition(index.name(), columns, index.unique());
    }

    private static PropertyMetadata<?> duration(String name, String description) {
        return new PropertyMetadata<>(
                name,
                description,
                VARCHAR,
                Duration.class,
                null,
                false,
                value -> parseDuration(name, (String) value),
                Duration::toString);
    }

    private static Duration parseDuration(String property, String text) {
        try {
            return Duration.valueOf(text);
        } catch (IllegalArgumentException e) {
            throw new TrinoException(
                    INVALID_TABLE_PROPERTY,
                    "Expected a duration as '1h' or '30d' in %s, found '%s'"
                            .formatted(property, text),
                    e);
        }
    }

    private static FileCompression parseCompression(String text) {
        try {
            return FileCompression.parse(text);
        } catch (SteleException e) {
            throw new TrinoException(INVALID_TABLE_PROPERTY, String.valueOf(e.getMessage()), e);
        }
    }

    private static IndexDefinition parseIndex(Object text) {
        try {
            return IndexDefinition.parse(Objects.toString(text));
        } catch (SteleException e) {
            throw new TrinoException(INVALID_TABLE_PROPERTY, String.valueOf(e.getMessage()), e);
        }
    }

    private static PropertyMetadata<?> columns(String name, String description) {
        return ColumnLists.property(name, description, INVALID_TABLE_PROPERTY);
    }

    private static Orientation parseOrientation(String text) {
        try {
            return Orientation.parse(text);
        } catch (SteleException e) {
            throw new TrinoException(INVALID_TABLE_PROPERTY, String.valueOf(e.getMessage()), e);
        }
    }

    private static void checkShardCount(int count) {
        if (count < 1 || count > TableSchema.MAX_SHARDS) {
            throw new TrinoException(
                    INVALID_TABLE_PROPERTY,
                    "Expected shard_count from 1 to %s, found %s"
                            .formatted(TableSchema.MAX_SHARDS, count));
        }
    }
}
