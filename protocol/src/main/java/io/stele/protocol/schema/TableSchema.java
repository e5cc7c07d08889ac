package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;
import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The definition of a table for its writers and readers: columns, keys, orientation, shards and
 * options. Immutable; checked by its constructor.
 *
 * <p>Invariant: column ids and names (without case) are unique; every id in a key list is a column.
 * <br>
 * Invariant: primary key columns are NOT NULL and orderable; with a primary key, the distribution
 * key and the partition columns are subsets of it, so that all versions of a key are in one shard
 * and one partition.
 *
 * @param id identity of the table
 * @param schemaName schema
 * @param tableName table
 * @param schemaVersion {@code >= 1}, increased by every change of the columns
 * @param columns 1 to 1,000 columns in their order
 * @param primaryKey column ids in key order; empty: append-only table with generated row ids
 * @param distributionKey column ids whose values determine the shard; empty: the primary key
 * @param clusteringKey column ids by which the rows of a file are sorted; empty: the primary key
 * @param partitionedBy column ids by whose values files are separated
 * @param orientation the kinds of tablets that store the rows
 * @param tableGroup id of the table group
 * @param shardCount shards of the table group, 1 to 4,096
 * @param comment comment of the user
 * @param options retention, time to live, indexes and the physical design of column files
 */
public record TableSchema(
        @JsonProperty("id") TableId id,
        @JsonProperty("schemaName") String schemaName,
        @JsonProperty("tableName") String tableName,
        @JsonProperty("schemaVersion") int schemaVersion,
        @JsonProperty("columns") List<ColumnSchema> columns,
        @JsonProperty("primaryKey") List<Integer> primaryKey,
        @JsonProperty("distributionKey") List<Integer> distributionKey,
        @JsonProperty("clusteringKey") List<Integer> clusteringKey,
        @JsonProperty("partitionedBy") List<Integer> partitionedBy,
        @JsonProperty("orientation") Orientation orientation,
        @JsonProperty("tableGroup") int tableGroup,
        @JsonProperty("shardCount") int shardCount,
        @JsonProperty("comment") Optional<String> comment,
        @JsonProperty("options") TableOptions options) {
    /** The most columns of a table and fields of a row type. */
    public static final int MAX_COLUMNS = 1_000;

    /** The most shards of a table group: each costs every sidecar a manifest and memtables. */
    public static final int MAX_SHARDS = 4_096;

    public TableSchema {
        requireNonNull(id, "id is null");
        requireNonNull(orientation, "orientation is null");
        requireNonNull(comment, "comment is null");
        options = requireNonNullElse(options, TableOptions.NONE); // absent in the first catalogs
        checkName("schema", schemaName);
        checkName("table", tableName);
        check(schemaVersion >= 1, "a schema version >= 1", schemaVersion);
        check(tableGroup >= 0, "a table group >= 0", tableGroup);
        check(
                shardCount >= 1 && shardCount <= MAX_SHARDS,
                "1 to " + MAX_SHARDS + " shards",
                shardCount);
        columns = List.copyOf(columns);
        primaryKey = List.copyOf(primaryKey);
        distributionKey = List.copyOf(distributionKey);
        clusteringKey = List.copyOf(clusteringKey);
        partitionedBy = List.copyOf(partitionedBy);
        checkColumns(columns);
        checkKey("primary_key", columns, primaryKey);
        checkKey("distribution_key", columns, distributionKey);
        checkKey("clustering_key", columns, clusteringKey);
        checkKey("partitioned_by", columns, partitionedBy);
        checkPrimaryKey(columns, primaryKey, distributionKey, partitionedBy);
        checkOptions(columns, primaryKey, distributionKey, shardCount, orientation, options);
    }

    /**
     * A table to be created, unless more is set: without keys, options and comment, of one shard,
     * with column orientation. The catalog assigns id, schema version and table group.
     */
    public static Builder builder(String schemaName, String tableName) {
        return new Builder(schemaName, tableName);
    }

    /** The same table, to be changed. */
    public Builder toBuilder() {
        return new Builder(schemaName, tableName)
                .id(id)
                .schemaVersion(schemaVersion)
                .columns(columns)
                .primaryKey(primaryKey)
                .distributionKey(distributionKey)
                .clusteringKey(clusteringKey)
                .partitionedBy(partitionedBy)
                .orientation(orientation)
                .tableGroup(tableGroup)
                .shardCount(shardCount)
                .comment(comment)
                .options(options);
    }

    /**
     * A table of some columns of this one: with its identity, orientation and shards, without its
     * keys, options and comment.
     */
    public Builder narrowedTo(List<ColumnSchema> some) {
        return new Builder(schemaName, tableName)
                .id(id)
                .schemaVersion(schemaVersion)
                .columns(some)
                .orientation(orientation)
                .tableGroup(tableGroup)
                .shardCount(shardCount);
    }

    /** This table with another id, schema version and table group. */
    public TableSchema withIdentity(
            TableId newId, int newSchemaVersion, int newTableGroup, int newShardCount) {
        return toBuilder()
                .id(newId)
                .schemaVersion(newSchemaVersion)
                .tableGroup(newTableGroup)
                .shardCount(newShardCount)
                .build();
    }

    /** This table with another name. */
    public TableSchema withName(String newSchemaName, String newTableName) {
        return toBuilder().name(newSchemaName, newTableName).build();
    }

    /** This table with other columns, or other properties of columns. */
    public TableSchema withColumns(int newSchemaVersion, List<ColumnSchema> newColumns) {
        return toBuilder().schemaVersion(newSchemaVersion).columns(newColumns).build();
    }

    public TableSchema withComment(Optional<String> newComment) {
        return toBuilder().comment(newComment).build();
    }

    public TableSchema withOptions(TableOptions newOptions) {
        return toBuilder().options(newOptions).build();
    }

    /** {@code schema.table}. */
    public String qualifiedName() {
        return schemaName + "." + tableName;
    }

    public boolean hasPrimaryKey() {
        return !primaryKey.isEmpty();
    }

    /** The primary key columns in key order; empty for an append-only table. */
    public List<ColumnSchema> primaryKeyColumns() {
        return columns(primaryKey);
    }

    /** The columns that determine the shard; empty if any shard may store any row. */
    public List<ColumnSchema> distributionColumns() {
        return columns(distributionKey.isEmpty() ? primaryKey : distributionKey);
    }

    /** The columns with these ids, in the order of the ids. */
    public List<ColumnSchema> columns(List<Integer> ids) {
        List<ColumnSchema> found = new ArrayList<>(ids.size());
        for (int columnId : ids) {
            found.add(columns.get(indexOf(columnId)));
        }
        return List.copyOf(found);
    }

    /** The column with an id; throws COLUMN_NOT_FOUND if there is none. */
    public ColumnSchema column(int columnId) {
        return columns.get(indexOf(columnId));
    }

    /** The column of a name, without case. */
    public Optional<ColumnSchema> findColumn(String name) {
        for (ColumnSchema column : columns) {
            if (column.name().equalsIgnoreCase(name)) {
                return Optional.of(column);
            }
        }
        return Optional.empty();
    }

    /** The position of the column with an id; throws COLUMN_NOT_FOUND if there is none. */
    public int indexOf(int columnId) {
        for (int index = 0; index < columns.size(); index++) {
            if (columns.get(index).id() == columnId) {
                return index;
            }
        }
        throw new SteleException(
                ErrorCode.COLUMN_NOT_FOUND,
                "Expected a column of " + qualifiedName() + ", found id " + columnId);
    }

    /** The shard of the table's group at a position. */
    public ShardId shard(int index) {
        check(index >= 0 && index < shardCount, "a shard of 0 to " + (shardCount - 1), index);
        return new ShardId(tableGroup, index);
    }

    /** All shards of the table, in order. */
    @JsonIgnore
    public List<ShardId> shards() {
        List<ShardId> shards = new ArrayList<>(shardCount);
        for (int index = 0; index < shardCount; index++) {
            shards.add(new ShardId(tableGroup, index));
        }
        return List.copyOf(shards);
    }

    static void checkName(String what, String name) {
        check(
                !name.isEmpty() && name.length() <= ColumnSchema.MAX_NAME_LENGTH,
                "a " + what + " name of 1 to " + ColumnSchema.MAX_NAME_LENGTH + " characters",
                "'" + name + "'");
        check(
                name.chars()
                        .noneMatch(
                                character -> Character.isISOControl(character) || character == '/'),
                "a " + what + " name without '/' and control characters",
                "'" + name + "'");
    }

    private static void checkColumns(List<ColumnSchema> columns) {
        check(
                !columns.isEmpty() && columns.size() <= MAX_COLUMNS,
                "1 to " + MAX_COLUMNS + " columns",
                columns.size());
        Set<Integer> ids = new HashSet<>();
        Set<String> names = new HashSet<>();
        for (ColumnSchema column : columns) {
            check(ids.add(column.id()), "unique column ids", "id " + column.id() + " twice");
            check(
                    names.add(column.name().toLowerCase(Locale.ENGLISH)),
                    "unique column names",
                    "'" + column.name() + "' twice");
        }
    }

    private static void checkKey(String property, List<ColumnSchema> columns, List<Integer> key) {
        Set<Integer> seen = new HashSet<>();
        for (int columnId : key) {
            check(
                    seen.add(columnId),
                    property + " without repetition",
                    "column " + name(columns, columnId) + " twice");
            ColumnSchema column =
                    columns.stream()
                            .filter(candidate -> candidate.id() == columnId)
                            .findFirst()
                            .orElseThrow(
                                    () ->
                                            new SteleException(
                                                    ErrorCode.COLUMN_NOT_FOUND,
                                                    "Expected a column in "
                                                            + property
                                                            + ", found id "
                                                            + columnId));
            check(
                    column.type().isOrderable(),
                    property + " of orderable columns",
                    "'" + column.name() + "' of type " + column.type());
        }
    }

    private static void checkPrimaryKey(
            List<ColumnSchema> columns,
            List<Integer> primaryKey,
            List<Integer> distributionKey,
            List<Integer> partitionedBy) {
        if (primaryKey.isEmpty()) {
            return;
        }
        for (ColumnSchema column : columns) {
            check(
                    !primaryKey.contains(column.id()) || !column.nullable(),
                    "primary_key columns that are NOT NULL",
                    "nullable column '" + column.name() + "'");
        }
        checkSubset("distribution_key", columns, primaryKey, distributionKey);
        checkSubset("partitioned_by", columns, primaryKey, partitionedBy);
    }

    private static void checkSubset(
            String property,
            List<ColumnSchema> columns,
            List<Integer> primaryKey,
            List<Integer> key) {
        for (int columnId : key) {
            check(
                    primaryKey.contains(columnId),
                    property + " within primary_key",
                    "column " + name(columns, columnId));
        }
    }

    /** The column's name for error messages. */
    private static String name(List<ColumnSchema> columns, int columnId) {
        return columns.stream()
                .filter(column -> column.id() == columnId)
                .findFirst()
                .map(column -> "'" + column.name() + "'")
                .orElse("id " + columnId);
    }

    private static void checkOptions(
            List<ColumnSchema> columns,
            List<Integer> primaryKey,
            List<Integer> distributionKey,
            int shardCount,
            Orientation orientation,
            TableOptions options) {
        checkKey("segment_key", columns, options.segmentKey());
        checkKey("bitmap_columns", columns, options.bitmapColumns());
        checkKey("dictionary_columns", columns, options.dictionaryColumns());
        check(
                orientation.hasColumns()
                        || (options.segmentKey().isEmpty()
                                && options.bitmapColumns().isEmpty()
                                && options.dictionaryColumns().isEmpty()),
                "segment_key, bitmap_columns and dictionary_columns only with column files",
                "orientation '" + orientation.text() + "'");
        for (ColumnSchema column : columns) {
            check(
                    !options.dictionaryColumns().contains(column.id())
                            || column.type() instanceof VarcharType
                            || column.type() instanceof CharType,
                    "dictionary_columns of type varchar or char",
                    "'" + column.name() + "' of type " + column.type());
        }
        for (IndexSchema index : options.indexes()) {
            check(
                    !primaryKey.isEmpty(),
                    "a primary_key for index '" + index.name() + "'",
                    "a table without one");
            checkKey("index '" + index.name() + "'", columns, index.columns());
            List<Integer> routing = distributionKey.isEmpty() ? primaryKey : distributionKey;
            check(
                    !index.unique() || shardCount == 1 || index.columns().containsAll(routing),
                    "a unique index '"
                            + index.name()
                            + "' that contains the distribution key, or one shard: each sees only its own rows",
                    "columns "
                            + index.columns().stream()
                                    .map(columnId -> name(columns, columnId))
                                    .collect(Collectors.joining(", ")));
        }
    }

    /** A {@link TableSchema} that is being put together; the record checks it. */
    public static final class Builder {
        private TableId id = new TableId(1);
        private String schemaName;
        private String tableName;
        private int schemaVersion = 1;
        private List<ColumnSchema> columns = List.of();
        private List<Integer> primaryKey = List.of();
        private List<Integer> distributionKey = List.of();
        private List<Integer> clusteringKey = List.of();
        private List<Integer> partitionedBy = List.of();
        private Orientation orientation = Orientation.COLUMN;
        private int tableGroup;
        private int shardCount = 1;
        private Optional<String> comment = Optional.empty();
        private TableOptions options = TableOptions.NONE;

        private Builder(String schemaName, String tableName) {
            this.schemaName = schemaName;
            this.tableName = tableName;
        }

        public Builder name(String newSchemaName, String newTableName) {
            schemaName = newSchemaName;
            tableName = newTableName;
            return this;
        }

        public Builder id(TableId value) {
            id = value;
            return this;
        }

        public Builder schemaVersion(int value) {
            schemaVersion = value;
            return this;
        }

        public Builder columns(List<ColumnSchema> value) {
            columns = value;
            return this;
        }

        public Builder primaryKey(List<Integer> value) {
            primaryKey = value;
            return this;
        }

        public Builder distributionKey(List<Integer> value) {
            distributionKey = value;
            return this;
        }

        public Builder clusteringKey(List<Integer> value) {
            clusteringKey = value;
            return this;
        }

        public Builder partitionedBy(List<Integer> value) {
            partitionedBy = value;
            return this;
        }

        public Builder orientation(Orientation value) {
            orientation = value;
            return this;
        }

        public Builder tableGroup(int value) {
            tableGroup = value;
            return this;
        }

        public Builder shardCount(int value) {
            shardCount = value;
            return this;
        }

        public Builder comment(Optional<String> value) {
            comment = value;
            return this;
        }

        public Builder options(TableOptions value) {
            options = value;
            return this;
        }

        /** The table, or an error that says what was expected. */
        public TableSchema build() {
            return new TableSchema(
                    id,
                    schemaName,
                    tableName,
                    schemaVersion,
                    columns,
                    primaryKey,
                    distributionKey,
                    clusteringKey,
                    partitionedBy,
                    orientation,
                    tableGroup,
                    shardCount,
                    comment,
                    options);
        }
    }
}
