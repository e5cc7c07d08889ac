package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The changes of the catalog's metadata since a version that the caller has.
 *
 * @param version up to which changes are included
 * @param all whether anything may be different, because the list of changes is not complete
 * @param relations names of the tables and views whose definition or statistics are different,
 *     including those that are new or gone; at most {@value #MAX_RELATIONS}
 */
public record MetadataChanges(MetadataVersion version, boolean all, List<TableName> relations) {
    /** Beyond this number, reloading everything costs less than sending the names. */
    public static final int MAX_RELATIONS = 1_000;

    public MetadataChanges {
        requireNonNull(version, "version is null");
        relations = List.copyOf(relations);
    }

    /** Whether a name may mean something else, or its rows be others by much. */
    public boolean concerns(TableName relation) {
        return all || relations.contains(relation);
    }
}
