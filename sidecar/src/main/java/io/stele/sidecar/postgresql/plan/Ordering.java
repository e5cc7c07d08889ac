package io.stele.sidecar.postgresql.plan;

import io.stele.sidecar.postgresql.plan.FixedPlan.SortItem;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/**
 * The comparison of values and rows for ORDER BY, min and max, in which NULL is above all values.
 * Stateless.
 */
public final class Ordering {
    private Ordering() {}

    /** The order of two values. */
    public static int compare(Object left, Object right, ZoneId zone) {
        return Values.compare(left, right, zone);
    }

    /** The order of two rows by the values of their sort items. */
    public static int compare(
            List<SortItem> items,
            List<Optional<Object>> left,
            List<Optional<Object>> right,
            ZoneId zone) {
        for (int i = 0; i < items.size(); i++) {
            Optional<Object> first = left.get(i);
            Optional<Object> second = right.get(i);
            int order =
                    first.isPresent() && second.isPresent()
                            ? compare(first.get(), second.get(), zone)
                            : Boolean.compare(first.isEmpty(), second.isEmpty());
            if (order != 0) {
                return items.get(i).descending() ? -order : order;
            }
        }
        return 0;
    }
}
