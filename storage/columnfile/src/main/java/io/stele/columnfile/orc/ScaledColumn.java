package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * The description of a hidden column of a column file that repeats a column of doubles as whole
 * numbers, for faster scans. Whole numbers take a fraction of the bytes, because ORC has no
 * encoding for doubles. The doubles are stored, too, for readers that do not support the hidden
 * column.
 *
 * <p>It has a value for every double, or for the first ones only: from the first double on that
 * {@link DecimalScale} cannot encode, the writer writes nulls. So the column can replace the
 * doubles only if the file's statistics count as many values in it.
 *
 * @param columnId the column of doubles, in the table
 */
public record ScaledColumn(int columnId, DecimalScale scale) {
    /** Attribute of the column: the id of the column of doubles. */
    public static final String OF_ATTRIBUTE = "stele.scaled";

    /** Attribute of the column: digits after the decimal point. */
    public static final String SCALE_ATTRIBUTE = "stele.scale";

    /** Attribute of the column: the base to add to its numbers. */
    public static final String BASE_ATTRIBUTE = "stele.base";

    /**
     * The first id of such columns; ids above it are reserved for hidden columns such as {@code
     * _lsn} and {@code _row_id}.
     */
    private static final int FIRST_ID = -1000;

    public ScaledColumn {
        requireNonNull(scale, "scale is null");
    }

    /** The description of a column with these attributes, if it is a scaled column. */
    public static Optional<ScaledColumn> of(Map<String, String> attributes) {
        String of = attributes.get(OF_ATTRIBUTE);
        String scale = attributes.get(SCALE_ATTRIBUTE);
        String base = attributes.get(BASE_ATTRIBUTE);
        return of == null || scale == null || base == null
                ? Optional.empty()
                : Optional.of(
                        new ScaledColumn(
                                Integer.parseInt(of),
                                new DecimalScale(Integer.parseInt(scale), Long.parseLong(base))));
    }

    public Map<String, String> attributes() {
        return Map.of(
                OrcSchemas.ID_ATTRIBUTE,
                Integer.toString(FIRST_ID - columnId),
                OrcSchemas.TYPE_ATTRIBUTE,
                "bigint",
                OF_ATTRIBUTE,
                Integer.toString(columnId),
                SCALE_ATTRIBUTE,
                Integer.toString(scale.scale()),
                BASE_ATTRIBUTE,
                Long.toString(scale.base()));
    }

    /** A name that no other column of the file has; readers ignore it. */
    public String name(Collection<String> others) {
        String name = "_scaled_" + columnId;
        while (others.contains(name)) {
            name = "_" + name;
        }
        return name;
    }
}
