package io.stele.sidecar.scheduling;

import io.stele.protocol.QueryIdentity;
import java.util.List;

/**
 * The configured scheduling groups of a sidecar's reads, and the selectors that choose a read's
 * group. The first matching selector decides; without one, the group is {@code default}. Immutable.
 *
 * @param groups with distinct names, one of them {@code default}
 */
record GroupSpecs(List<GroupSpec> groups, List<Selector> selectors) {
    /** All reads in one group. */
    static final GroupSpecs DEFAULT =
            new GroupSpecs(List.of(GroupSpec.ofName(GroupSpec.DEFAULT_NAME)), List.of());

    GroupSpecs {
        groups = List.copyOf(groups);
        selectors = List.copyOf(selectors);
    }

    /** The name of the group of a read. */
    String select(QueryIdentity identity) {
        for (Selector selector : selectors) {
            if (selector.matches(identity)) {
                return selector.group();
            }
        }
        return GroupSpec.DEFAULT_NAME;
    }
}
