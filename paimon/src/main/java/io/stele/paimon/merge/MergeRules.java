package io.stele.paimon.merge;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.mergetree.compact.PartialUpdateMergeFunction;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.PrimaryKeyFileStoreTable;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;

/**
 * The rules by which scans merge the rows of a primary key table, if this plugin supports the
 * table's options; otherwise Paimon's reader merges them. The class of the same name in package
 * {@code write} has the rules of statements that change rows. Immutable.
 */
public final class MergeRules {
    private static final String SEQUENCE_GROUP = "." + PartialUpdateMergeFunction.SEQUENCE_GROUP;

    private final CoreOptions.MergeEngine engine;
    private final List<DataField> keys;
    private final List<DataField> sequence;
    private final boolean isSequenceAscending;
    private final boolean ignoresDeletions;
    private final boolean removesRowOnDeletion;
    private final boolean isLookup;

    private MergeRules(CoreOptions options, List<DataField> keys, List<DataField> sequence) {
        this.engine = options.mergeEngine();
        this.keys = List.copyOf(keys);
        this.sequence = List.copyOf(sequence);
        this.isSequenceAscending = options.sequenceFieldSortOrderIsAscending();
        this.ignoresDeletions = options.toConfiguration().get(CoreOptions.IGNORE_DELETE);
        this.removesRowOnDeletion =
                options.toConfiguration().get(CoreOptions.PARTIAL_UPDATE_REMOVE_RECORD_ON_DELETE);
        this.isLookup = options.needLookup();
    }

    /** The rules of a table; empty: left to Paimon's reader. */
    public static Optional<MergeRules> find(FileStoreTable table) {
        CoreOptions options = table.coreOptions();
        TableSchema schema = table.schema();
        if (!(table instanceof PrimaryKeyFileStoreTable)
                || options.dataEvolutionEnabled()
                || options.toConfiguration().get(CoreOptions.KEY_VALUE_SEQUENCE_NUMBER_ENABLED)) {
            return Optional.empty();
        }
        boolean isKnown =
                switch (options.mergeEngine()) {
                    case DEDUPLICATE, FIRST_ROW -> true;
                    case PARTIAL_UPDATE -> isSimple(schema);
                    case AGGREGATE -> false;
                };
        List<DataField> keys = schema.trimmedPrimaryKeysFields();
        List<DataField> sequence = new ArrayList<>();
        for (String name : options.sequenceField()) {
            schema.fields().stream()
                    .filter(field -> field.name().equals(name))
                    .forEach(sequence::add);
        }
        boolean isOrdered =
                !keys.isEmpty()
                        && sequence.size() == options.sequenceField().size()
                        && keys.stream().allMatch(field -> isKey(field.type()))
                        && sequence.stream().allMatch(field -> isSequence(field.type()));
        return isKnown && isOrdered
                ? Optional.of(new MergeRules(options, keys, sequence))
                : Optional.empty();
    }

    /** Whether each column is merged by itself, and nothing is computed. */
    private static boolean isSimple(TableSchema schema) {
        boolean hasFunctions =
                schema.options().keySet().stream()
                        .anyMatch(
                                key ->
                                        key.startsWith(CoreOptions.FIELDS_PREFIX + ".")
                                                && (key.endsWith(SEQUENCE_GROUP)
                                                        || key.endsWith(CoreOptions.AGG_FUNCTION)));
        boolean isNullable =
                schema.fields().stream()
                        .allMatch(
                                field ->
                                        field.type().isNullable()
                                                || schema.primaryKeys().contains(field.name()));
        return !hasFunctions && isNullable;
    }

    /**
     * Whether this plugin orders keys of the type as Paimon does. It does not for floating-point
     * numbers, of which Paimon takes NaN as equal to all; for {@code CHAR}, of which Trino drops
     * the spaces at the end; and for moments, which ORC may have by the writer's wall clock.
     */
    private static boolean isKey(DataType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    DECIMAL,
                    DATE,
                    TIME_WITHOUT_TIME_ZONE,
                    TIMESTAMP_WITHOUT_TIME_ZONE,
                    VARCHAR,
                    BINARY,
                    VARBINARY ->
                    true;
            case CHAR,
                    FLOAT,
                    DOUBLE,
                    TIMESTAMP_WITH_LOCAL_TIME_ZONE,
                    VARIANT,
                    BLOB,
                    ARRAY,
                    VECTOR,
                    MULTISET,
                    MAP,
                    ROW ->
                    false;
        };
    }

    private static boolean isSequence(DataType type) {
        return type.is(DataTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE) || isKey(type);
    }

    /** The fields by which rows are sorted. */
    public List<DataField> keys() {
        return keys;
    }

    /** The fields that decide which of two rows is newer, the most significant first. */
    public List<DataField> sequence() {
        return sequence;
    }

    public boolean isSequenceAscending() {
        return isSequenceAscending;
    }

    /** Whether the columns of a merged row may come from several rows. */
    boolean isByColumn() {
        return engine == CoreOptions.MergeEngine.PARTIAL_UPDATE;
    }

    RowMerger merger(int columnCount) {
        return switch (engine) {
            case DEDUPLICATE -> lookup(new LastRow(ignoresDeletions));
            case FIRST_ROW -> new FirstRow(ignoresDeletions);
            case PARTIAL_UPDATE -> lookup(new LatestValues(columnCount, onDeletion()));
            case AGGREGATE -> throw new IllegalStateException("Left to Paimon's reader");
        };
    }

    private RowMerger lookup(RowMerger merger) {
        return isLookup ? new LookupRows(merger) : merger;
    }

    private LatestValues.OnDeletion onDeletion() {
        if (ignoresDeletions) {
            return LatestValues.OnDeletion.IGNORE;
        }
        return removesRowOnDeletion
                ? LatestValues.OnDeletion.REMOVE_ROW
                : LatestValues.OnDeletion.REFUSE;
    }
}
