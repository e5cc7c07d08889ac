package io.stele.objectstore.encryption;

import java.util.function.BooleanSupplier;

/**
 * The cause of a CORRUPT_DATA error that, as far as can be determined, is no damage of the stored
 * data. The master keys are not those with which it was written, or there are none, or it was
 * written without any. The bytes that name a key have a checksum of their own, so that damaged
 * bytes are not mistaken for another key.
 */
public final class OtherKeysException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient BooleanSupplier mayBeDamage;

    private OtherKeysException(String message, BooleanSupplier mayBeDamage) {
        super(message);
        this.mayBeDamage = mayBeDamage;
    }

    /** A master key of another id. */
    static OtherKeysException missing() {
        return new OtherKeysException("a master key that is not here", () -> false);
    }

    /**
     * Another master key of the id; or bytes that were written elsewhere.
     *
     * @param isProven whether the key that is here has opened something
     */
    static OtherKeysException wrong(BooleanSupplier isProven, Throwable cause) {
        OtherKeysException wrong = new OtherKeysException("another master key", isProven);
        wrong.initCause(cause);
        return wrong;
    }

    /** Plain where everything is to be encrypted; or so damaged that it does not look encrypted. */
    static OtherKeysException plain() {
        return new OtherKeysException("not encrypted", () -> true);
    }

    /**
     * Whether it may be damage after all: true if other objects of the same kind can be read. More
     * certain after such objects were read.
     */
    public boolean mayBeDamage() {
        return mayBeDamage.getAsBoolean();
    }
}
