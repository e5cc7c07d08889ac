package io.stele.paimon.write;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

import io.stele.paimon.type.PaimonTypes;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.CoreOptions.ChangelogProducer;
import org.apache.paimon.CoreOptions.MergeEngine;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypeRoot;

/**
 * The rules, by the options of a Paimon table, of which INSERT, UPDATE, DELETE and MERGE are
 * refused, and which columns of a changed row its writer needs. Immutable, without I/O.
 */
public final class RowChangeRules {
    private final SchemaTableName name;
    private final FileStoreTable table;
    private final CoreOptions options;

    public RowChangeRules(SchemaTableName name, FileStoreTable table) {
        this.name = requireNonNull(name, "name is null");
        this.table = requireNonNull(table, "table is null");
        this.options = table.coreOptions();
    }

    /**
     * Throws for tables whose rows this plugin cannot write at all.
     *
     * @throws TrinoException that says why
     */
    public static void checkWritable(SchemaTableName name, FileStoreTable table) {
        BucketMode mode = table.bucketMode();
        if (mode == BucketMode.KEY_DYNAMIC) {
            throw refused(
                    "Expected partition columns in the primary key, found %s with keys across"
                            + " partitions, whose index of all keys this connector does not build",
                    name);
        }
        if (mode == BucketMode.POSTPONE_MODE) {
            throw refused(
                    "Expected a fixed or dynamic number of buckets, found %s with bucket = -2,"
                            + " whose rows are not seen before a job of Flink or Spark has placed them",
                    name);
        }
    }

    /**
     * Throws for tables whose rows cannot be changed by their key.
     *
     * @param updated the columns that the statement assigns
     */
    public void check(Set<String> updated) {
        if (table.primaryKeys().isEmpty()) {
            throw refused(
                    "Expected a table with a primary key, or a condition that selects whole"
                            + " partitions, found rows of %s to be changed, which has no primary key",
                    name);
        }
        checkColumns();
        MergeEngine engine = options.mergeEngine();
        if (engine != MergeEngine.DEDUPLICATE && engine != MergeEngine.PARTIAL_UPDATE) {
            throw refused(
                    "Expected the merge engine deduplicate or partial-update, found %s with %s,"
                            + " which does not replace the row of a key",
                    name, engine);
        }
        if (engine == MergeEngine.PARTIAL_UPDATE
                && table.options().keySet().stream()
                        .anyMatch(key -> key.endsWith(".sequence-group"))) {
            throw refused(
                    "Expected no sequence groups, found some in %s, by which an update may be"
                            + " ignored",
                    name);
        }
        if (options.rowkindField().isPresent()) {
            throw refused(
                    "Expected rows without kinds of their own, found rowkind.field of %s", name);
        }
        Set<String> fixed = new HashSet<>(table.primaryKeys());
        fixed.addAll(options.sequenceField());
        updated.stream()
                .filter(fixed::contains)
                .findFirst()
                .ifPresent(
                        column -> {
                            throw refused(
                                    "Expected updates of columns that are neither in the primary"
                                            + " key nor the sequence field, found column %s of"
                                            + " %s",
                                    column, name);
                        });
    }

    private void checkColumns() {
        for (DataField column : table.rowType().getFields()) {
            boolean isKey = table.primaryKeys().contains(column.name());
            if (isKey && column.type().is(DataTypeRoot.CHAR)) {
                throw refused(
                        "Expected a primary key without columns of the type CHAR, found column %s"
                                + " of %s: other engines may have written its values without the"
                                + " spaces that Trino writes",
                        column.name(), name);
            }
            if (options.mergeEngine() == MergeEngine.DEDUPLICATE
                    && PaimonTypes.find(column.type()).isEmpty()) {
                throw refused(
                        "Expected columns of types that Trino has, found column %s of the type %s"
                                + " of %s, whose value would be lost",
                        column.name(), column.type().asSQLString(), name);
            }
        }
    }

    /** Throws if rows of the table cannot be deleted. */
    void checkDeletes() {
        if (options.ignoreDelete()) {
            throw refused("Expected a table that takes deletions, found ignore-delete of %s", name);
        }
        if (options.mergeEngine() == MergeEngine.PARTIAL_UPDATE
                && !options.toConfiguration()
                        .get(CoreOptions.PARTIAL_UPDATE_REMOVE_RECORD_ON_DELETE)) {
            throw refused(
                    "Expected partial-update.remove-record-on-delete for a deletion, found %s"
                            + " without it",
                    name);
        }
    }

    /**
     * Whether an update writes the row before it as well: the changelog of the table consists of
     * the rows as they are written, and no option drops the row before.
     */
    boolean writesRowsBeforeUpdates() {
        return options.changelogProducer() == ChangelogProducer.INPUT
                && !options.ignoreDelete()
                && !options.ignoreUpdateBefore()
                && options.mergeEngine() == MergeEngine.DEDUPLICATE;
    }

    /** Whether a null in place of a value changes nothing. */
    boolean ignoresNulls() {
        return options.mergeEngine() == MergeEngine.PARTIAL_UPDATE;
    }

    /**
     * The columns of the row id, which a writer needs to delete a row: primary key, partition
     * columns, sequence fields, and columns that are NOT NULL. All columns where the changelog
     * consists of the rows as they are written, since it has deleted rows whole.
     */
    public static List<DataField> rowIdFields(FileStoreTable table) {
        List<DataField> all = table.rowType().getFields();
        if (table.primaryKeys().isEmpty()) {
            // Deletions of whole partitions are planned with a row id, and never read it
            return all.stream()
                    .filter(field -> PaimonTypes.find(field.type()).isPresent())
                    .limit(1)
                    .toList();
        }
        if (table.coreOptions().changelogProducer() == ChangelogProducer.INPUT) {
            return all;
        }
        Set<String> names = new HashSet<>(table.primaryKeys());
        names.addAll(table.partitionKeys());
        names.addAll(table.coreOptions().sequenceField());
        List<DataField> needed = new ArrayList<>();
        for (DataField field : all) {
            if (names.contains(field.name()) || !field.type().isNullable()) {
                needed.add(field);
            }
        }
        return needed;
    }

    private static TrinoException refused(String reason, Object... values) {
        return new TrinoException(NOT_SUPPORTED, reason.formatted(values));
    }
}
