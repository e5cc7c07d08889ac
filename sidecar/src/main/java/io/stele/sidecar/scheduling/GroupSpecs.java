package io.stele.sidecar.scheduling;

import io.stele.protocol.QueryIdentity;
import java.util.List;

/**
 * The groups of reads and how they are chosen: the first selector that matches decides, and where
 * none does it is the group {@code default}. Immutable.
 *
 * @param groups each name once; there is one of the name {@code default}
 */
record GroupSpecs(List<GroupSpec> groups, List<Selector> selectors) {
    /** Everything in one group. */
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
