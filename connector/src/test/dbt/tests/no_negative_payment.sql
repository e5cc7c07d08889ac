SELECT * FROM {{ ref('payments') }} WHERE amount < 0
