package io.stele.protocol.schema;

import java.util.ArrayList;
import java.util.List;

/**
 * The rules of type widening: the pairs of types in which the wider one holds every value of the
 * narrower one. Rows and files of the narrower type can then be read as the wider one. The wider
 * types are integers of more bytes, double for real, decimals of more digits and the same scale,
 * longer text, and wide timestamps of the same precision.
 */
public final class TypeWidening {
    private TypeWidening() {}

    /** Whether the type {@code to} has all values of the scalar type {@code from}. */
    public static boolean isWidening(DataType from, DataType to) {
        if (from.equals(to)) {
            return true;
        }
        return switch (from.kind()) {
            case TINYINT, SMALLINT, INTEGER ->
                    isInteger(to) && to.form().width() > from.form().width();
            case REAL -> to.kind() == TypeKind.DOUBLE;
            case DECIMAL ->
                    to instanceof DecimalType wider
                            && wider.scale() == ((DecimalType) from).scale()
                            && wider.precision() > ((DecimalType) from).precision();
            case VARCHAR ->
                    to instanceof VarcharType wider
                            && wider.length() > ((VarcharType) from).length();
            case CHAR ->
                    to instanceof CharType wider && wider.length() > ((CharType) from).length();
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE ->
                    to.kind() == from.kind()
                            && ((TimestampType) from).isNanos()
                            && ((TimestampType) to).isWide()
                            && ((TimestampType) to).precision()
                                    == ((TimestampType) from).precision();
            default -> false;
        };
    }

    /**
     * The type {@code from} with the scalars of {@code to}, whose structure and names must be
     * equal; ids do not change. Throws INVALID_ARGUMENT if a part would not be wider.
     *
     * @param where name of the column or field, for the message
     */
    static IdentifiedType widen(IdentifiedType from, DataType to, String where) {
        if (from.type().equals(to)) {
            return from;
        }
        IdentifiedType target = IdentifiedType.of(to, () -> 0);
        List<IdentifiedType.Child> before = from.children();
        List<IdentifiedType.Child> after = target.children();
        if (before.isEmpty()) {
            TypeLimits.check(
                    isWidening(from.type(), to),
                    "a type for '"
                            + where
                            + "' that holds every value of "
                            + from.type()
                            + " (a wider integer, double for real, a decimal of more digits and the same scale,"
                            + " longer text)",
                    to);
            return target;
        }
        boolean sameParts =
                from.type().kind() == to.kind()
                        && before.stream()
                                .map(IdentifiedType.Child::name)
                                .toList()
                                .equals(after.stream().map(IdentifiedType.Child::name).toList());
        TypeLimits.check(
                sameParts,
                "the parts of "
                        + from.type()
                        + " for '"
                        + where
                        + "': fields are added, dropped and renamed one by one",
                to);
        boolean sameKey =
                to.kind() != TypeKind.MAP
                        || before.get(0).type().type().equals(after.get(0).type().type());
        TypeLimits.check(sameKey, "the key type of " + from.type() + " for '" + where + "'", to);
        List<IdentifiedType.Child> children = new ArrayList<>();
        for (int i = 0; i < before.size(); i++) {
            IdentifiedType.Child child = before.get(i);
            String name = where + "." + child.name().orElse("field" + i);
            children.add(child.withType(widen(child.type(), after.get(i).type().type(), name)));
        }
        return from.withChildren(children);
    }

    private static boolean isInteger(DataType type) {
        return switch (type.kind()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT -> true;
            default -> false;
        };
    }
}
