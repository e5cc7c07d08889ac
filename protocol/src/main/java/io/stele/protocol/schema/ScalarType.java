package io.stele.protocol.schema;

/** The scalar types without parameters. */
public enum ScalarType implements DataType {
    BOOLEAN(TypeKind.BOOLEAN, PhysicalForm.BOOLEAN, "boolean"),
    TINYINT(TypeKind.TINYINT, PhysicalForm.INT8, "tinyint"),
    SMALLINT(TypeKind.SMALLINT, PhysicalForm.INT16, "smallint"),
    INTEGER(TypeKind.INTEGER, PhysicalForm.INT32, "integer"),
    BIGINT(TypeKind.BIGINT, PhysicalForm.INT64, "bigint"),
    REAL(TypeKind.REAL, PhysicalForm.FLOAT32, "real"),
    DOUBLE(TypeKind.DOUBLE, PhysicalForm.FLOAT64, "double"),
    VARBINARY(TypeKind.VARBINARY, PhysicalForm.BYTES, "varbinary"),
    /** Days since 1970-01-01. */
    DATE(TypeKind.DATE, PhysicalForm.INT32, "date"),
    UUID(TypeKind.UUID, PhysicalForm.FIXED16, "uuid"),
    /** Text in UTF-8; not orderable. */
    JSON(TypeKind.JSON, PhysicalForm.BYTES, "json");

    private final TypeKind kind;
    private final PhysicalForm form;
    private final String text;

    ScalarType(TypeKind kind, PhysicalForm form, String text) {
        this.kind = kind;
        this.form = form;
        this.text = text;
    }

    @Override
    public TypeKind kind() {
        return kind;
    }

    @Override
    public PhysicalForm form() {
        return form;
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
