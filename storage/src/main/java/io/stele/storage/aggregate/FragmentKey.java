package io.stele.storage.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.predicate.CanonicalFragment;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.schema.ColumnSchema;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a fragment result is the result of. Everything in it is immutable and named by id, so a
 * result is never wrong, only unasked for.
 *
 * @param fragment SHA-256 of the aggregation in canonical form, of the types in which its columns
 *     are read, and of the conditions that some rows of the file may miss
 * @param path of the file
 * @param deletedCount rows of the file that are gone: which, follows from how many, since rows go
 *     in one order, as long as the warehouse goes on from where it was ({@link FragmentLog})
 */
public record FragmentKey(String fragment, String path, long deletedCount) {
    /** Says how states are written and what they mean; another one finds nothing of before. */
    private static final int FORMAT = 2;

    public FragmentKey {
        requireNonNull(fragment, "fragment is null");
        requireNonNull(path, "path is null");
    }

    /** The keys of one aggregation. Confined to one thread. */
    static final class Maker {
        private final CanonicalFragment common = new CanonicalFragment(FORMAT);
        private final Map<Map<Integer, ColumnDomain>, String> fragments = new HashMap<>();

        Maker(AggregatePlan plan) {
            Aggregation aggregation = plan.aggregation();
            common.add(aggregation.groupColumns().toString());
            for (AggregateCall call : aggregation.calls()) {
                common.addJson(call);
            }
            for (ColumnSchema column : plan.columns()) {
                if (aggregation.columnIds().contains(column.id())) {
                    common.add(column.id() + " " + column.type());
                }
            }
        }

        /** The key of a file; empty where its result depends on LSNs. */
        Optional<FragmentKey> of(FileScope scope) {
            if (!scope.isWhole()) {
                return Optional.empty();
            }
            String fragment =
                    fragments.computeIfAbsent(
                            scope.residual(),
                            residual -> common.copy().addConditions(residual).digest());
            return Optional.of(
                    new FragmentKey(
                            fragment,
                            scope.file().entry().path(),
                            scope.deleted().getLongCardinality()));
        }
    }
}
