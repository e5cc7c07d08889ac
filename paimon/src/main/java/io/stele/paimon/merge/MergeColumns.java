package io.stele.paimon.merge;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.type.PaimonTypes;
import io.stele.paimon.type.ReadSchemas;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.VarcharType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.DataTypes;

/**
 * The columns that a merge reads of its files: the wanted columns, and the columns by which rows
 * are merged. Texts by which rows are merged are read whole. Immutable.
 *
 * @param columns the columns to read, the wanted columns first
 * @param layout the layout of their pages
 */
public record MergeColumns(List<PaimonColumnHandle> columns, MergeLayout layout) {
    public MergeColumns {
        columns = List.copyOf(requireNonNull(columns, "columns is null"));
        requireNonNull(layout, "layout is null");
    }

    /**
     * @param hasSequenceNumbers whether rows are compared by sequence numbers of their own
     * @param hasKinds whether some rows are deletions
     */
    public static MergeColumns of(
            MergeRules rules,
            List<PaimonColumnHandle> wanted,
            boolean hasSequenceNumbers,
            boolean hasKinds) {
        Set<Integer> whole = wholeTexts(rules);
        List<PaimonColumnHandle> columns = new ArrayList<>();
        List<Integer> lengths = new ArrayList<>();
        for (PaimonColumnHandle column : wanted) {
            boolean isCut =
                    whole.contains(column.id())
                            && column.type() instanceof VarcharType text
                            && !text.isUnbounded();
            lengths.add(isCut ? ((VarcharType) column.type()).getBoundedLength() : -1);
            columns.add(isCut ? whole(column) : column);
        }
        List<MergeLayout.Column> keys = add(columns, rules.keys(), whole);
        List<MergeLayout.Column> sequence = add(columns, rules.sequence(), whole);
        int sequenceNumber =
                hasSequenceNumbers ? add(columns, SpecialFields.SEQUENCE_NUMBER, whole) : -1;
        int kind = hasKinds ? add(columns, SpecialFields.VALUE_KIND, whole) : -1;
        return new MergeColumns(
                columns,
                new MergeLayout(
                        columns.subList(0, wanted.size()).stream()
                                .map(PaimonColumnHandle::type)
                                .toList(),
                        lengths,
                        keys,
                        sequence,
                        rules.isSequenceAscending(),
                        sequenceNumber,
                        kind));
    }

    private static List<MergeLayout.Column> add(
            List<PaimonColumnHandle> columns, List<DataField> fields, Set<Integer> whole) {
        List<MergeLayout.Column> result = new ArrayList<>();
        for (DataField field : fields) {
            int channel = add(columns, field, whole);
            result.add(new MergeLayout.Column(channel, columns.get(channel).type()));
        }
        return result;
    }

    /** The channel of a field, which is added if it is not among the columns. */
    private static int add(List<PaimonColumnHandle> columns, DataField field, Set<Integer> whole) {
        for (int channel = 0; channel < columns.size(); channel++) {
            if (columns.get(channel).id() == field.id()) {
                return channel;
            }
        }
        PaimonColumnHandle column =
                new PaimonColumnHandle(field.id(), field.name(), PaimonTypes.toTrino(field));
        columns.add(whole.contains(field.id()) ? whole(column) : column);
        return columns.size() - 1;
    }

    private static PaimonColumnHandle whole(PaimonColumnHandle column) {
        return new PaimonColumnHandle(column.id(), column.name(), VarcharType.VARCHAR);
    }

    private static Set<Integer> wholeTexts(MergeRules rules) {
        return Stream.concat(rules.keys().stream(), rules.sequence().stream())
                .filter(field -> field.type().is(DataTypeRoot.VARCHAR))
                .map(DataField::id)
                .collect(Collectors.toSet());
    }

    /**
     * A schema of the table as its files have it: with the columns that writers add, and without
     * bounds of the texts by which rows are merged.
     */
    public static TableSchema stored(TableSchema schema, MergeRules rules) {
        Set<Integer> whole = wholeTexts(rules);
        List<DataField> fields = new ArrayList<>();
        for (DataField field : schema.fields()) {
            boolean isWhole = whole.contains(field.id()) && field.type().is(DataTypeRoot.VARCHAR);
            fields.add(
                    isWhole
                            ? field.newType(DataTypes.STRING().copy(field.type().isNullable()))
                            : field);
        }
        fields.add(SpecialFields.SEQUENCE_NUMBER);
        fields.add(SpecialFields.VALUE_KIND);
        return ReadSchemas.withFields(schema, fields);
    }

    /**
     * The part of a constraint that may prune rows before they are merged. A condition on a column
     * outside the primary key must not prune, since it may drop the newest row of a key and keep an
     * older row.
     *
     * @param isAlone whether each key has one row at most, so that the whole constraint may prune
     */
    public TupleDomain<PaimonColumnHandle> beforeMerge(
            TupleDomain<PaimonColumnHandle> constraint, TableSchema table, boolean isAlone) {
        if (constraint.isNone()) {
            return constraint;
        }
        Map<Integer, PaimonColumnHandle> read =
                columns.stream()
                        .collect(
                                Collectors.toMap(
                                        PaimonColumnHandle::id,
                                        column -> column,
                                        (first, _) -> first));
        Map<PaimonColumnHandle, Domain> domains = new HashMap<>();
        constraint
                .getDomains()
                .orElseThrow()
                .forEach(
                        (column, domain) -> {
                            if (isAlone || table.primaryKeys().contains(column.name())) {
                                domains.put(read.getOrDefault(column.id(), column), domain);
                            }
                        });
        return TupleDomain.withColumnDomains(domains);
    }
}
