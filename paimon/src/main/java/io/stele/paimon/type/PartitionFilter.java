package io.stele.paimon.type;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;
import org.jspecify.annotations.Nullable;

/**
 * A filter of partitions by conditions on their columns, exactly as Trino compares values. Not
 * thread-safe.
 */
public final class PartitionFilter {
    private final List<Condition> conditions = new ArrayList<>();
    private final Map<BinaryRow, Boolean> known = new HashMap<>();

    private record Condition(
            DataField field,
            PaimonColumnHandle column,
            Domain domain,
            InternalRow.FieldGetter getter) {
        boolean test(BinaryRow partition) {
            @Nullable Object value = getter.getFieldOrNull(partition);
            return domain.includesNullableValue(
                    value == null
                            ? null
                            : InternalRowBlocks.toNative(field.type(), column.type(), value));
        }
    }

    /**
     * @param wanted conditions, of which those of other columns are ignored
     * @param partitions the partition columns
     */
    public PartitionFilter(TupleDomain<PaimonColumnHandle> wanted, RowType partitions) {
        List<DataField> fields = partitions.getFields();
        wanted.getDomains()
                .orElse(Map.of())
                .forEach(
                        (column, domain) -> {
                            for (int i = 0; i < fields.size(); i++) {
                                DataField field = fields.get(i);
                                if (field.id() == column.id()) {
                                    conditions.add(
                                            new Condition(
                                                    field,
                                                    column,
                                                    domain,
                                                    InternalRow.createFieldGetter(
                                                            field.type(), i)));
                                }
                            }
                        });
    }

    /** Whether a partition may have wanted rows. */
    public boolean test(BinaryRow partition) {
        return conditions.isEmpty()
                || known.computeIfAbsent(
                        partition, key -> conditions.stream().allMatch(c -> c.test(key)));
    }
}
