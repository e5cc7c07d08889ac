package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A sidecar's reply with the changes of catalog metadata since the caller's version, by which
 * connectors invalidate cached metadata.
 *
 * @param version up to which changes are included
 * @param all whether all metadata may have changed, because the list of changes is not complete
 * @param relations names of the tables and views whose definition or statistics changed, including
 *     new and dropped ones; at most {@value #MAX_RELATIONS}
 */
public record MetadataChanges(MetadataVersion version, boolean all, List<TableName> relations) {
    /** Beyond this number, reloading everything costs less than sending the names. */
    public static final int MAX_RELATIONS = 1_000;

    public MetadataChanges {
        requireNonNull(version, "version is null");
        relations = List.copyOf(relations);
    }

    /** Whether the relation of a name, or its statistics, may have changed. */
    public boolean concerns(TableName relation) {
        return all || relations.contains(relation);
    }
}
