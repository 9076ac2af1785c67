# frozen_string_literal: true

require "json"

# Reads messages, asks the bot for its moves, answers. Leave this file alone.
module Arena
  # Prints to standard error; standard output belongs to the arena.
  def self.log(*values)
    warn(*values)
  end

  # Plays match after match, until the arena says `quit` or closes the input.
  def self.run
    $stdin.set_encoding(Encoding::UTF_8)
    $stdout.sync = true
    start = {}
    while (line = $stdin.gets)
      message = JSON.parse(line)
      case message["type"]
      when "hello" then say(type: "hello", protocol: 1)
      when "start" then start = message
      when "turn" then say(type: "move", move: yield(message, start), ply: message["ply"])
      when "quit" then return
        # `end`, `error`, or of a later release: needs no answer
      end
    end
  end

  def self.say(message)
    $stdout.write("#{JSON.generate(message)}\n")
  end
  private_class_method :say
end
