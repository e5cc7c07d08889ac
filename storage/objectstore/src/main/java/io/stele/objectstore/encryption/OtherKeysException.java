package io.stele.objectstore.encryption;

import java.util.function.BooleanSupplier;

/**
 * The cause of a CORRUPT_DATA error that is probably no damage: the stored data and the present
 * master keys do not match. The data was written with other master keys, there are no master keys
 * now, or it was written without any. The bytes that name a key have a checksum of their own, so
 * that damaged bytes are not mistaken for another key.
 */
public final class OtherKeysException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient BooleanSupplier mayBeDamage;

    private OtherKeysException(String message, BooleanSupplier mayBeDamage) {
        super(message);
        this.mayBeDamage = mayBeDamage;
    }

    /** There is no master key of the id. */
    static OtherKeysException missing() {
        return new OtherKeysException("a master key that is not here", () -> false);
    }

    /**
     * The master key of the id is another one; or the bytes were written elsewhere.
     *
     * @param isProven whether the present key has decrypted something before
     */
    static OtherKeysException wrong(BooleanSupplier isProven, Throwable cause) {
        OtherKeysException wrong = new OtherKeysException("another master key", isProven);
        wrong.initCause(cause);
        return wrong;
    }

    /**
     * The data is plain where all data must be encrypted; or so damaged that it does not look
     * encrypted.
     */
    static OtherKeysException plain() {
        return new OtherKeysException("not encrypted", () -> true);
    }

    /**
     * Whether the data may be damaged after all: true if other objects of the same kind were
     * readable. The result is more certain after reads of such objects.
     */
    public boolean mayBeDamage() {
        return mayBeDamage.getAsBoolean();
    }
}
